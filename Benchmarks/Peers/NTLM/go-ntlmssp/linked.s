// Lets main.go declare functions without a body.
