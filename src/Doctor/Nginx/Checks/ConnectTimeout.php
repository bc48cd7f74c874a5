<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\PassTarget;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class ConnectTimeout implements ServerCheck
{
    private const MILLISECONDS = 10_000;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            $byTcp = $this->byTcp($pass);
            $unsure = $pass->targets->restAreSockets() ? null : $pass->unresolved();

            if ($byTcp === [] && $unsure === null) {
                continue;
            }

            $time = $pass->connectTimeout->milliseconds() ?? throw FactUnavailable::because(
                "fastcgi_connect_timeout is not known: {$pass->connectTimeout->source}.",
                'nginx -T',
            );
            $evidence = [
                new Evidence(
                    'fastcgi_connect_timeout',
                    (string) $pass->connectTimeout->value(),
                    $pass->connectTimeout->source,
                ),
                new Evidence('fastcgi_pass', implode(', ', $byTcp), $pass->said->where()),
            ];
            $text = 'fastcgi_connect_timeout 3s';
            $change = $pass->connectTimeout->said === null
                ? NginxChange::before($pass->said, $text)
                : NginxChange::to($pass->connectTimeout->said, $text);

            $warning = Finding::warn(
                'nginx waits '.$time / 1000 .' seconds to be connected to '.implode(', ', $byTcp).'.',
                $evidence,
                'Requests hang for as long when the pool is full, and then fail.',
                new Fix(
                    'Give up after 3 seconds.',
                    NginxChange::edits($change),
                    [$nginx->reload()],
                    'Put the line back and reload nginx.',
                ),
            );
            $finding = match (true) {
                $time <= self::MILLISECONDS => Finding::pass('it gives up in time', ...$evidence),
                $byTcp === [] => Finding::unavailable($unsure),
                default => $warning,
            };
            $findings[] = $finding->about($nginx->facts->place($pass->said));
        }

        return $findings;
    }

    /** @return list<string> the names of what it is known to lead to that has an address on TCP */
    private function byTcp(FastcgiPass $pass): array
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
