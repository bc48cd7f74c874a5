<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Access;

use Closure;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Illuminate\Http\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Refuses an action that a page of another origin sends, also where the application excludes its paths from Laravel's
 * CSRF check. A form of another page cannot send JSON, and a script needs a permission that is never given.
 *
 * @internal
 */
final readonly class SameOrigin
{
    /** @param Closure(Request): Response $next */
    public function handle(Request $request, Closure $next): Response
    {
        return match (true) {
            ! $request->isJson() => JsonResponse::problem(
                415,
                'The request is not JSON',
                'Send the content type application/json.',
            ),
            ! self::isOwn($request) => JsonResponse::problem(
                403,
                'The request comes from another origin',
                'Only a page of this application may send actions. Behind a proxy that changes the host name, configure'
                    .' trusted proxies in Laravel.',
            ),
            default => $next($request),
        };
    }

    private static function isOwn(Request $request): bool
    {
        $site = $request->headers->get('Sec-Fetch-Site');
        $origin = $request->headers->get('Origin');

        return match (true) {
            $site !== null && $site !== 'same-origin' => false,
            $origin === null => true,
            default => strcasecmp((string) preg_replace('~\Ahttps?://~i', '', $origin), $request->getHttpHost()) === 0,
        };
    }
}
