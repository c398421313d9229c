import uWS = require('@btc-vision/uwebsockets.js')
export = uWS
