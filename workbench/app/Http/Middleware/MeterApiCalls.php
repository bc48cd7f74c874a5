<?php

declare(strict_types=1);

namespace Workbench\App\Http\Middleware;

use Closure;
use Headroom\Laravel\Facades\Buffer;
use Illuminate\Http\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Counts each call by its key and hour.
 */
final class MeterApiCalls
{
    public function handle(Request $request, Closure $next): Response
    {
        /** @var Response $response */
        $response = $next($request);

        Buffer::bucket('api-usage')->add([
            'api_key' => $request->header('X-Api-Key') ?? 'none',
            'hour' => now()->startOfHour(),
            'calls' => 1,
            'errors' => $response->getStatusCode() >= 400,
        ]);

        return $response;
    }
}
