<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Illuminate\Http\Request;
use SensitiveParameter;

/**
 * How a sender signs.
 *
 * @internal
 */
interface Scheme
{
    /**
     * Compares in constant time, with each secret.
     *
     * @param string $body as it came, byte for byte
     * @param non-empty-list<non-empty-string> $secrets the sender has one of them
     * @param int $now seconds since the Unix epoch
     */
    public function isGenuine(Request $request, string $body, #[SensitiveParameter] array $secrets, int $now): bool;

    /** What the sender calls this delivery, the same each time it sends it. To be asked only of a genuine one. */
    public function idOf(Request $request, string $body): ?string;
}
