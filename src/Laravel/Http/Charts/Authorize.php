<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Charts;

use Closure;
use Illuminate\Auth\Access\AuthorizationException;
use Illuminate\Contracts\Auth\Access\Gate;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Http\Request;

/**
 * Everybody where the application is `local`; elsewhere whom the gate `viewHeadroom` lets in, and nobody where it is not defined.
 *
 * @internal
 */
final readonly class Authorize
{
    public const ABILITY = 'viewHeadroom';

    public function __construct(private Application $app, private Gate $gate) {}

    /**
     * @param Closure(Request): mixed $next
     *
     * @throws AuthorizationException
     */
    public function handle(Request $request, Closure $next): mixed
    {
        return $this->app->environment('local') === true || $this->gate->check(self::ABILITY)
            ? $next($request)
            : throw new AuthorizationException("The gate '".self::ABILITY."' does not let this user in.");
    }
}
