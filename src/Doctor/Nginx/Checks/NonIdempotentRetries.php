<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class NonIdempotentRetries implements NginxCheck
{
    private const WORD = 'non_idempotent';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach (['fastcgi_next_upstream', 'proxy_next_upstream'] as $name) {
            foreach ($nginx->facts->config->inHttp($name) as $directive) {
                $left = array_values(array_diff($directive->arguments, [self::WORD]));
                $change = $left === []
                    ? NginxChange::without($directive)
                    : NginxChange::to($directive, "{$name} ".implode(' ', $left));

                if ($directive->has(self::WORD)) {
                    $findings[] = Finding::fail(
                        "{$name} has ".self::WORD.'.',
                        [$nginx->directiveEvidence($directive)],
                        $nginx->fix([$change]),
                    )->about("{$name} of {$nginx->facts->place($directive)}");
                }
            }
        }

        return $findings === [] ? [Finding::pass('nginx sends a POST once')] : $findings;
    }
}
