<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
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

    /** Above what services listen at, as a rule; the kernel leaves out a port that is taken. */
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
            return [Finding::pass('nothing is connected to', ...$evidence)];
        }

        $evidence[] = new Evidence(
            "connections to {$to->name()}",
            "{$to->open} open, {$to->timeWait} in TIME-WAIT",
            $ports->source,
        );
        $taken = $ports->taken($to);

        return [
            $taken <= self::SHARE * $ports->count()
                ? Finding::pass('there are ports enough', ...$evidence)
                : Finding::fail(
                    "Connections to {$to->name()} take {$taken} of {$ports->count()} local ports.",
                    $evidence,
                    'New connections to there fail, and with them the requests that need one.',
                    $this->fix($ports, $facts->find(Sysctl::class) ?? new Sysctl),
                )->restingOn(Confidence::Observed),
        ];
    }

    private function fix(LocalPorts $ports, Sysctl $sysctl): Fix
    {
        [$first, $last] = self::WIDEST;
        $isWide = $ports->count() >= $last - $first;
        $edits = [
            ...($isWide ? [] : $sysctl->edits(LocalPorts::RANGE, "{$first} {$last}")),
            ...($ports->reuse === 1 ? [] : $sysctl->edits(LocalPorts::REUSE, 1)),
        ];

        return new Fix(
            'Keep connections instead of making new ones: check R1 for Redis, a pooler or a socket for the SQL server, '
                .'keepalive for what is spoken to over HTTP. '
                .($edits === []
                    ? 'There are no more ports to be had.'
                    : 'More ports, and ports that are used again, help until then.'),
            $edits,
            $edits === [] ? [] : ['sudo sysctl -p '.Sysctl::FILE],
            "Take the lines out, then: sudo sysctl -w '".LocalPorts::RANGE."={$ports->first} {$ports->last}' "
                .LocalPorts::REUSE."={$ports->reuse}",
            'ss -tan state time-wait | wc -l',
        );
    }
}
