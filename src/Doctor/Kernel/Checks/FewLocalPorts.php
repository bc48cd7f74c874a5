<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sockets\LocalPorts;
use Headroom\Doctor\Kernel\Sysctl;

/**
 * @internal
 */
final readonly class FewLocalPorts implements Check
{
    private const SHARE = 0.5;

    /** Services mostly listen below this range, and the kernel leaves out a port that is in use. */
    private const WIDEST = [10_240, 65_535];

    public function examine(Facts $facts): iterable
    {
        $ports = $facts->get(LocalPorts::class);
        $to = $ports->busiest;
        $taken = $to === null ? 0 : $ports->taken($to);

        yield $to === null || $taken <= self::SHARE * $ports->count()
            ? Finding::pass(
                $to === null ? 'there are no outgoing connections' : 'enough ports are free',
                ...$ports->evidence(),
            )
            : Finding::fail(
                "Connections to {$to->name()} use {$taken} of {$ports->count()} local ports.",
                $ports->evidence(),
                self::fix($ports, $facts->find(Sysctl::class) ?? new Sysctl),
            )->observed();
    }

    private static function fix(LocalPorts $ports, Sysctl $sysctl): Fix
    {
        [$first, $last] = self::WIDEST;
        $isWide = $ports->count() >= $last - $first;

        return new Fix(
            changes: [
                ...($isWide ? [] : $sysctl->edits(LocalPorts::RANGE, "{$first} {$last}")),
                ...($ports->reuse === 1 ? [] : $sysctl->edits(LocalPorts::REUSE, 1)),
            ],
            rollback: Sysctl::restored([
                LocalPorts::RANGE => "{$ports->first} {$ports->last}",
                LocalPorts::REUSE => $ports->reuse,
            ]),
            verify: 'ss -tan state time-wait | wc -l',
        );
    }
}
