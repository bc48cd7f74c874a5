<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Access;

use Closure;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Illuminate\Http\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Admits requests with the token of an open page. No cookie is read.
 *
 * @internal
 */
final readonly class VerifyToken
{
    public const HEADER = 'X-Headroom-Token';

    public function __construct(private AccessTokens $tokens) {}

    /** @param Closure(Request): Response $next */
    public function handle(Request $request, Closure $next): Response
    {
        return $this->tokens->verify(AccessToken::VIEW, (string) $request->headers->get(self::HEADER)) === null
            ? JsonResponse::problem(401, 'This page is not signed in', 'Its token is not valid any more. Reload it.')
            : $next($request);
    }
}
