<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Access;

/**
 * What a token that this application has signed permits: to see the dashboard until it expires.
 *
 * @internal
 */
final readonly class AccessToken
{
    /** The data, for an open page. */
    public const VIEW = 'view';

    /** The page itself, from an address that `headroom:link` prints. */
    public const LINK = 'link';

    public const SECONDS = 3_600;

    /**
     * @param int $expires seconds since the Unix epoch
     * @param ?string $user id of the user that the page was made for; null for none
     */
    public function __construct(public int $expires, public ?string $user = null) {}
}
