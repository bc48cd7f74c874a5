<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;

/**
 * @internal
 */
final readonly class AbortOnOverflow implements Check
{
    public function examine(Facts $facts): iterable
    {
        $name = 'net.ipv4.tcp_abort_on_overflow';
        $sysctl = $facts->get(Sysctl::class);
        $value = $sysctl->integer($name);
        $evidence = new Evidence($name, (string) $value, Sysctl::path($name));

        return [$value === 0 ? Finding::pass('it lets clients try again', $evidence) : Finding::fail(
            "{$name} is {$value}.",
            [$evidence],
            'A burst fails that would only have waited.',
            new Fix(
                'Switch it off.',
                $sysctl->edits($name, 0),
                ['sudo sysctl -p '.Sysctl::FILE],
                "sudo sysctl -w {$name}={$value}, and remove the line.",
                "sysctl {$name}",
            ),
        )];
    }
}
