<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\PassTarget;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class ConnectTimeout implements NginxCheck
{
    /** Milliseconds. */
    private const LONGEST = 10_000;

    private const ADVISED = 3;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        foreach ($nginx->facts->passes() as $pass) {
            $byTcp = implode(', ', self::byTcp($pass));
            $unsure = $pass->targets->restAreSockets() ? null : $pass->unresolved();

            if ($byTcp === '' && $unsure === null) {
                continue;
            }

            $time = $pass->connectTimeout->milliseconds() ?? throw FactUnavailable::because(
                "fastcgi_connect_timeout is not known: {$pass->connectTimeout->source}.",
                'sudo nginx -T | grep fastcgi_connect_timeout',
            );
            $evidence = [
                $nginx->evidence($pass->connectTimeout),
                new Evidence('fastcgi_pass', $byTcp, $pass->said->where()),
            ];
            $finding = match (true) {
                $time <= self::LONGEST => Finding::pass('nginx gives up in time', ...$evidence),
                $byTcp === '' => Finding::unavailable($unsure),
                default => Finding::warn(
                    'nginx waits '.$time / 1000 ." seconds for a connection to {$byTcp}.",
                    $evidence,
                    'When the pool is full, requests hang for that time, and then fail.',
                    $nginx->fix(
                        'Give up after '.self::ADVISED.' seconds.',
                        $nginx->set($pass->connectTimeout, $pass->said, self::ADVISED.'s'),
                    ),
                ),
            };

            yield $finding->about($nginx->facts->place($pass->said));
        }
    }

    /** @return list<string> the targets with an address on TCP, as far as they are known */
    private static function byTcp(FastcgiPass $pass): array
    {
        $isByTcp = static fn (PassTarget $target): bool => array_filter(
            $target->addresses(),
            static fn (string $address): bool => ! str_starts_with($address, 'unix:'),
        ) !== [];

        return array_map(
            static fn (PassTarget $target): string => $target->name,
            array_values(array_filter($pass->targets->known, $isByTcp)),
        );
    }
}
