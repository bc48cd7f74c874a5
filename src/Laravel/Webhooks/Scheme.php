<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Illuminate\Http\Request;
use SensitiveParameter;

/**
 * A method by which senders sign webhooks. Implementations have no state and may be called repeatedly.
 *
 * @internal
 */
interface Scheme
{
    /**
     * Compares in constant time, with each secret.
     *
     * @param string $body as it was received, byte for byte
     * @param non-empty-list<non-empty-string> $secrets the sender has one of them
     * @param int $now seconds since the Unix epoch
     */
    public function isGenuine(Request $request, string $body, #[SensitiveParameter] array $secrets, int $now): bool;

    /** The sender's id of this delivery, which is the same in every retry. Call it only for a genuine request. */
    public function idOf(Request $request, string $body): ?string;
}
