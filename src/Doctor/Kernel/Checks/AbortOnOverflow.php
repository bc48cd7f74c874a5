<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class AbortOnOverflow implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'S4',
            'The kernel cuts connections off when a backlog is full',
            Severity::Medium,
            Layer::Kernel,
            'With tcp_abort_on_overflow a client whose connection does not fit into the backlog is told "connection'
                .' reset". Without it the kernel says nothing, the client tries again a moment later, and a burst of a'
                .' second goes by without anybody noticing.',
            'net.ipv4.tcp_abort_on_overflow is 1.',
            ['https://docs.kernel.org/networking/ip-sysctl.html'],
            2,
        );
    }

    public function examine(Facts $facts): array
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
