<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http;

use Closure;
use Illuminate\Auth\Access\AuthorizationException;
use Illuminate\Contracts\Auth\Access\Gate;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Http\Request;

/**
 * Allows every user if the environment is `local`. Elsewhere a gate decides; without the gate no user is allowed.
 *
 * @internal
 */
final readonly class Authorize
{
    /** May open the pages. */
    public const ABILITY = 'viewHeadroom';

    /** May also pause, resume, retry, forget, export, and run the doctor. */
    public const MANAGE = 'manageHeadroom';

    public function __construct(private Application $app, private Gate $gate) {}

    /**
     * @param Closure(Request): mixed $next
     *
     * @throws AuthorizationException
     */
    public function handle(Request $request, Closure $next, string $ability = self::ABILITY): mixed
    {
        return $this->allows($ability)
            ? $next($request)
            : throw new AuthorizationException("The gate '{$ability}' denies access to this user.");
    }

    public function allows(string $ability): bool
    {
        return $this->app->environment('local') === true || $this->gate->check($ability);
    }
}
