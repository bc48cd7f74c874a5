<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Charts;

use Closure;
use Illuminate\Auth\Access\AuthorizationException;
use Illuminate\Contracts\Auth\Access\Gate;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Http\Request;

/**
 * Allows every user if the environment is `local`. Elsewhere the gate `viewHeadroom` decides; without the gate no user
 * is allowed.
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
            : throw new AuthorizationException("The gate '".self::ABILITY."' denies access to this user.");
    }
}
