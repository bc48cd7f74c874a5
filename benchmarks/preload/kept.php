<?php

declare(strict_types=1);

/**
 * An application that boots once and answers many requests, as in Octane's workers, without Octane's separation of
 * requests. It has no web server: pages come as lines of JSON on standard input, answers go to standard output.
 */

use Illuminate\Contracts\Http\Kernel;
use Illuminate\Foundation\Application;
use Illuminate\Http\Request;

$root = $argv[1] ?? exit(2);

require "{$root}/vendor/autoload.php";

$app = require "{$root}/bootstrap/app.php";
$app instanceof Application || exit(2);
$kernel = $app->make(Kernel::class);
$kernel->bootstrap();
$cookies = [];

while (($line = fgets(STDIN)) !== false) {
    [$method, $target] = json_decode($line, true);
    $app->forgetScopedInstances();
    $request = Request::create("http://localhost{$target}", $method, cookies: $cookies);
    $response = $kernel->handle($request);
    $body = (string) $response->getContent();
    $kernel->terminate($request, $response);

    foreach ($response->headers->getCookies() as $cookie) {
        $cookies[$cookie->getName()] ??= (string) $cookie->getValue();
    }

    fwrite(STDOUT, json_encode(['status' => $response->getStatusCode(), 'bytes' => strlen($body)])."\n");
}
