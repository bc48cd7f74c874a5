<?php

declare(strict_types=1);

namespace Fruitcake\Cors;

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Has the methods that Illuminate\Http\Middleware\HandleCors calls, and adds no cross-origin header. The applications
 * of this checkout use no CORS.
 */
final class CorsService
{
    /** @param array<string, mixed> $options */
    public function setOptions(array $options): void {}

    public function isCorsRequest(Request $request): bool
    {
        return $request->headers->has('Origin');
    }

    public function isPreflightRequest(Request $request): bool
    {
        return $request->getMethod() === 'OPTIONS' && $request->headers->has('Access-Control-Request-Method');
    }

    public function handlePreflightRequest(Request $request): Response
    {
        return new Response('', 204);
    }

    public function addActualRequestHeaders(Response $response, Request $request): Response
    {
        return $response;
    }

    public function varyHeader(Response $response, string $header): Response
    {
        $response->setVary($header, false);

        return $response;
    }
}
