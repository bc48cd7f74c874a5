<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * The kind of server that a process waits for.
 *
 * @internal
 */
enum PeerKind
{
    case Redis;
    case Database;

    /** Another server. */
    case Other;

    public static function of(Wait $wait): self
    {
        $service = $wait->peer->service ?? '';

        return match (true) {
            preg_match('/redis|valkey|keydb/i', $service) === 1 => self::Redis,
            preg_match('/maria|mysql|postgres/i', $service) === 1 => self::Database,
            default => self::Other,
        };
    }

    /** @return Closure(Wait): bool whether a process waits for one of these, and how */
    public function waited(WaitKind ...$kinds): Closure
    {
        $kinds = $kinds === [] ? [WaitKind::Connecting, WaitKind::Reply, WaitKind::Sending] : $kinds;

        return fn (Wait $wait): bool => in_array($wait->kind, $kinds, true) && self::of($wait) === $this;
    }
}
