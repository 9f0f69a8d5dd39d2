"""Esri's own client for Python (PyPI package arcgis) at the portal of `arcgis-portal`: one line for each thing that it may do.

    arcgis_client.py PORTAL_URL SERVER_URL ALONE_URL USER PASSWORD

SSL_CERT_FILE and REQUESTS_CA_BUNDLE name the root of the portal's certificate.
"""

import sys
import warnings

warnings.simplefilter("ignore")

from arcgis.auth import EsriSession
from arcgis.auth._auth._oauth import EsriOAuth2Auth
from arcgis.auth._auth._pkce import EsriPKCEAuth
from arcgis.auth._auth._token import EsriGenTokenAuth
from arcgis.gis import GIS

portal, server, alone, user, password = sys.argv[1:]
referer = "https://app.acme.example"


def session(auth=None):
    return EsriSession(auth=auth, referer=referer)


def report(what, value):
    print(f"{what}: {value}", flush=True)


# The user signs in by OAuth, and the class asks the portal who it is.
gis = GIS(portal, user, password)
report("GIS by OAuth", gis.users.me.username)
report("portal", gis.properties.name)

# The same by generateToken.
gis = GIS(portal, user, password, use_gen_token=True)
report("GIS by generateToken", gis.users.me.username)

# A server that stands alone has a token service of its own.
made = session()
made.auth = EsriGenTokenAuth(alone, referer, user, password, session=made)
report("server alone", made.get(f"{alone}/rest/services/Parcels/MapServer", params={"f": "json"}).json()["user"])

# A federated server takes a token that the portal gives for a token of the portal.
made = session()
by_portal = EsriGenTokenAuth(portal, referer, user, password, session=session())
made.auth = EsriGenTokenAuth(server, referer, portal_auth=by_portal, session=made)
report("federated server", made.get(f"{server}/rest/services/Parcels/MapServer", params={"f": "json"}).json()["user"])

# The credentials of an application.
made = session()
made.auth = EsriOAuth2Auth(f"{portal}/sharing/rest", client_id="worker", client_secret="s3cret&", session=made)
found = made.get(f"{portal}/sharing/rest/portals/self", params={"f": "json"}).json()
report("application", found["appInfo"]["appId"])

# The code with PKCE. The client's redirect is the portal itself.
pkce = EsriPKCEAuth(portal, user, password, client_id="mapapp")
report("code with PKCE", session(pkce).get(f"{portal}/sharing/rest/community/self", params={"f": "json"}).json()["username"])

# A wrong password, and no token at all.
try:
    GIS(portal, user, "wrong", use_gen_token=True)
    report("wrong password", "accepted")
except Exception as error:
    report("wrong password", "Invalid username or password" in str(error))
found = session().get(f"{server}/rest/services/Parcels/MapServer", params={"f": "json"}).json()
report("no token", found["error"]["code"])
