/// The functions that PAC files may call, in JavaScript, with the results of Chromium.
///
/// The names come from Netscape's proxy auto-configuration of 1996, and those that end with `Ex` from Microsoft's extension for IPv6.
enum ScriptFunctions {
    static let source = #"""
        // The functions that scripts may call, as browsers give them. `dnsResolve`, `dnsResolveEx`, `myIpAddress` and `myIpAddressEx` come from outside.
        var wdays = { SUN: 0, MON: 1, TUE: 2, WED: 3, THU: 4, FRI: 5, SAT: 6 };
        var months = { JAN: 0, FEB: 1, MAR: 2, APR: 3, MAY: 4, JUN: 5, JUL: 6, AUG: 7, SEP: 8, OCT: 9, NOV: 10, DEC: 11 };
        function alert() {}
        // Machine code and shared memory of scripts: nothing here needs them.
        delete this.WebAssembly;
        delete this.SharedArrayBuffer;
        function dnsDomainIs(host, domain) {
          return host.length >= domain.length && host.substring(host.length - domain.length) == domain;
        }
        function dnsDomainLevels(host) { return host.split(".").length - 1; }
        function localHostOrDomainIs(host, name) { return host == name || name.lastIndexOf(host + ".", 0) == 0; }
        (function (resolve, resolveAll) {
          dnsResolve = function (host) { return typeof host == "string" ? resolve(host) : null; };
          dnsResolveEx = function (host) { return typeof host == "string" ? resolveAll(host) : undefined; };
        })(dnsResolve, dnsResolveEx);
        function isResolvable(host) { return dnsResolve(host) != null; }
        // As Chromium's, it takes what is not a text for resolvable.
        function isResolvableEx(host) { return typeof host != "string" || dnsResolveEx(host) != ""; }
        function convert_addr(text) {
          var bytes = text.split(".");
          return (bytes[0] & 0xff) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
        }
        function shExpMatch(text, pattern) {
          pattern = pattern.replace(/\./g, "\\.").replace(/\*/g, ".*").replace(/\?/g, ".");
          return new RegExp("^" + pattern + "$").test(text);
        }
        (function (global) {
          // The two 16-bit parts of an IPv4 address in the forms of the URL standard: one to four numbers, decimal, octal after "0" or
          // hexadecimal after "0x", the last of which fills what is left.
          function fourParts(text) {
            var numbers = text.replace(/\.$/, "").split(".").map(function (number) {
              if (/^0x[0-9a-f]*$/i.test(number)) return parseInt("0" + number.substring(2), 16);
              if (/^0[0-7]*$/.test(number)) return parseInt(number, 8);
              return /^[1-9]\d*$/.test(number) ? Number(number) : NaN;
            });
            var last = numbers.pop();
            if (numbers.length > 3 || !(last < Math.pow(256, 4 - numbers.length))) return null;
            if (!numbers.every(function (number) { return number < 256; })) return null;
            var value = numbers.reduce(function (sum, number, index) { return sum + number * Math.pow(256, 3 - index); }, last);
            return [Math.floor(value / 65536), value % 65536];
          }
          // The 16-bit parts of an IPv6 address, or the two of an IPv4 address; null for another text.
          function parts(text) {
            if (text.indexOf(":") < 0) return fourParts(text);
            if (!/^[0-9a-f:.]+$/i.test(text)) return null;
            var last = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
            if (last) {
              var inner = parts(last[2]);
              if (!inner) return null;
              text = last[1] + inner[0].toString(16) + ":" + inner[1].toString(16);
            }
            var halves = text.split("::");
            if (halves.length > 2) return null;
            var sides = halves.map(function (half) { return half == "" ? [] : half.split(":"); });
            var count = sides[0].length + (sides[1] || []).length;
            if (halves.length == 1 ? count != 8 : count > 7) return null;
            var all = sides[0].concat(new Array(8 - count).fill("0"), sides[1] || []);
            if (!all.every(function (part) { return /^[0-9a-f]{1,4}$/i.test(part); })) return null;
            return all.map(function (part) { return parseInt(part, 16); });
          }
          function mapped(address) { return address.length == 8 ? address : [0, 0, 0, 0, 0, 0xffff].concat(address); }
          function isFour(text) {
            return /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && String(text).split(".").every(function (byte) { return byte < 256; });
          }
          global.isPlainHostName = function (host) {
            if (typeof host != "string") throw new TypeError("isPlainHostName: the host is no text");
            return host.indexOf(".") < 0 && !parts(host);
          };
          global.isInNet = function (host, pattern, mask) {
            if (!isFour(pattern) || !isFour(mask)) return false;
            if (!/^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)) host = dnsResolve(host);
            if (host == null || !isFour(host)) return false;
            return (convert_addr(host) & convert_addr(mask)) == (convert_addr(pattern) & convert_addr(mask));
          };
          global.isInNetEx = function (host, prefix) {
            if (typeof host != "string" || typeof prefix != "string") return null;
            var address = parts(host), sides = prefix.split("/").map(function (side) { return side.trim(); });
            var net = sides.length == 2 ? parts(sides[0]) : null;
            if (!address || !net || !/^\d+$/.test(sides[1]) || Number(sides[1]) > net.length * 16) return false;
            var left = Number(sides[1]);
            if (address.length != net.length) {
              // IPv4 addresses are compared with IPv6 in their mapped form.
              if (net.length == 2) left += 96;
              address = mapped(address);
              net = mapped(net);
            }
            for (var index = 0; left > 0; left -= 16, index++) {
              var mask = left >= 16 ? 0xffff : 0xffff << 16 - left & 0xffff;
              if ((address[index] & mask) != (net[index] & mask)) return false;
            }
            return true;
          };
          global.sortIpAddressList = function (list) {
            if (typeof list != "string") return null;
            var addresses = list.split(";").map(function (text) { return text.trim(); })
              .filter(function (text) { return text != ""; });
            var known = addresses.map(function (text) { return { text: text, parts: parts(text) }; });
            if (known.length == 0 || known.some(function (entry) { return !entry.parts; })) return false;
            known.sort(function (one, other) {
              if (one.parts.length != other.parts.length) return other.parts.length - one.parts.length;
              for (var index = 0; index < one.parts.length; index++) {
                if (one.parts[index] != other.parts[index]) return one.parts[index] - other.parts[index];
              }
              return 0;
            });
            return known.map(function (entry) { return entry.text; }).join(";");
          };

          // Ranges of times: the last argument may be "GMT".
          function range(body) {
            return function () {
              var values = Array.prototype.slice.call(arguments), now = new Date();
              if (values.length < 1) return false;
              var isUTC = values[values.length - 1] == "GMT";
              if (isUTC) values.pop();
              return body(values, function (name) { return now[(isUTC ? "getUTC" : "get") + name](); });
            };
          }
          function isBetween(first, value, last) {
            return first <= last ? first <= value && value <= last : value >= first || value <= last;
          }
          global.weekdayRange = range(function (values, now) {
            var first = wdays[values[0]], last = values.length == 2 ? wdays[values[1]] : first;
            return first != undefined && last != undefined && isBetween(first, now("Day"), last);
          });
          global.timeRange = range(function (values, now) {
            var hour = now("Hours");
            if (values.length == 1) return hour == values[0];
            if (values.length == 2) return values[0] <= hour && hour <= values[1];
            if (values.length % 2 != 0 || values.length > 6) throw "timeRange: bad number of arguments";
            function seconds(list) { return list[0] * 3600 + (list[1] || 0) * 60 + Number(list[2] || 0); }
            var half = values.length / 2, last = values.slice(half);
            // An end without seconds is the end of its minute.
            if (half == 2) last.push(59);
            return isBetween(seconds(values.slice(0, half)), seconds([hour, now("Minutes"), now("Seconds")]), seconds(last));
          });
          global.dateRange = range(function (values, now) {
            function read(list) {
              var found = {};
              list.forEach(function (value) {
                var number = parseInt(value);
                if (isNaN(number)) found.month = months[value];
                else if (number > 31) found.year = number;
                else found.day = number;
              });
              return found;
            }
            if (values.length == 1) {
              var one = read(values);
              return "month" in one ? now("Month") == one.month : "year" in one ? now("FullYear") == one.year : now("Date") == one.day;
            }
            var half = Math.floor(values.length / 2), first = read(values.slice(0, half)), last = read(values.slice(half));
            // With an odd number of values the second half has one more. A part that a half leaves out is that of the whole year.
            if (values.length % 2 != 0) {
              var year = now("FullYear");
              first = Object.assign({ year: year, month: 0, day: 1 }, first);
              last = Object.assign({ year: year, month: 11, day: 31 }, last);
            }
            var today = { year: now("FullYear"), month: now("Month"), day: now("Date") };
            // What both ends leave out counts for nothing.
            function number(date) {
              return ("year" in first ? date.year * 372 : 0) + ("month" in first ? date.month * 31 : 0) + ("day" in first ? date.day : 0);
            }
            return "year" in first ? number(first) <= number(today) && number(today) <= number(last)
              : isBetween(number(first), number(today), number(last));
          });
        })(this);
        """#
}
