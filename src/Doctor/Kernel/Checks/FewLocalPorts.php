<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
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
        $evidence = [
            new Evidence(LocalPorts::RANGE, "{$ports->first} {$ports->last}", Sysctl::path(LocalPorts::RANGE)),
            new Evidence(LocalPorts::REUSE, (string) $ports->reuse, Sysctl::path(LocalPorts::REUSE)),
        ];

        if ($to === null) {
            return yield Finding::pass('there are no outgoing connections', ...$evidence);
        }

        $evidence[] = new Evidence(
            "connections to {$to->name()}",
            "{$to->open} open, {$to->timeWait} in TIME-WAIT",
            $ports->source,
        );
        $taken = $ports->taken($to);

        yield $taken <= self::SHARE * $ports->count() ? Finding::pass('enough ports are free', ...$evidence)
            : Finding::fail(
                "Connections to {$to->name()} use {$taken} of {$ports->count()} local ports.",
                $evidence,
                'New connections to this address fail, and so do the requests that need one.',
                self::fix($ports, $facts->find(Sysctl::class) ?? new Sysctl),
            )->observed();
    }

    private static function fix(LocalPorts $ports, Sysctl $sysctl): Fix
    {
        [$first, $last] = self::WIDEST;
        $isWide = $ports->count() >= $last - $first;
        $edits = [
            ...($isWide ? [] : $sysctl->edits(LocalPorts::RANGE, "{$first} {$last}")),
            ...($ports->reuse === 1 ? [] : $sysctl->edits(LocalPorts::REUSE, 1)),
        ];

        return new Fix(
            'Keep connections open instead of opening new ones: check R1 for Redis, a pooler or a socket for the SQL'
                .' server, keepalive for HTTP servers. '.($edits === []
                    ? 'The range of ports cannot be wider.'
                    : 'More ports, and ports that are used again, help until then.'),
            $edits,
            rollback: Sysctl::restored([
                LocalPorts::RANGE => "{$ports->first} {$ports->last}",
                LocalPorts::REUSE => $ports->reuse,
            ]),
            verify: 'ss -tan state time-wait | wc -l',
        );
    }
}
