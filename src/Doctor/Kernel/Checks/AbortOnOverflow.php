<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;

/**
 * @internal
 */
final readonly class AbortOnOverflow implements Check
{
    private const SETTING = 'net.ipv4.tcp_abort_on_overflow';

    public function examine(Facts $facts): iterable
    {
        $sysctl = $facts->get(Sysctl::class);
        $value = $sysctl->integer(self::SETTING);
        $evidence = $sysctl->evidence(self::SETTING);

        yield $value === 0 ? Finding::pass('clients may try again', $evidence) : Finding::fail(
            self::SETTING." is {$value}.",
            [$evidence],
            new Fix(
                changes: $sysctl->edits(self::SETTING, 0),
                rollback: Sysctl::restored([self::SETTING => $value]),
            ),
        );
    }
}
