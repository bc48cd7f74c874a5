<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class ConnectTimeout implements NginxCheck
{
    /** Milliseconds. */
    private const LONGEST = 10_000;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        foreach ($nginx->facts->passes() as $pass) {
            $byTcp = implode(', ', $pass->targets->byTcp());
            $unsure = $pass->targets->restAreSockets() ? null : $pass->unresolved();

            if ($byTcp === '' && $unsure === null) {
                continue;
            }

            $time = $pass->connectTimeout->knownMilliseconds();
            $evidence = [
                $nginx->evidence($pass->connectTimeout),
                new Evidence('fastcgi_pass', $byTcp, $pass->directive->where()),
            ];
            $finding = match (true) {
                $time <= self::LONGEST => Finding::pass('nginx gives up in time', ...$evidence),
                $byTcp === '' => Finding::unavailable($unsure),
                default => Finding::warn(
                    'nginx waits '.$time / 1000 ." seconds for a connection to {$byTcp}.",
                    $evidence,
                    $nginx->fix([$nginx->set($pass->connectTimeout, $pass->directive, '3s')]),
                ),
            };

            yield $finding->about($nginx->facts->place($pass->directive));
        }
    }
}
