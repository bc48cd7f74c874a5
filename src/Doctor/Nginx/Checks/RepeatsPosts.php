<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class RepeatsPosts implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach (['fastcgi_next_upstream', 'proxy_next_upstream'] as $name) {
            foreach ($nginx->facts->config->inHttp($name) as $said) {
                if (! $said->has('non_idempotent')) {
                    continue;
                }

                $left = array_values(array_diff($said->arguments, ['non_idempotent']));
                $change = $left === []
                    ? NginxChange::without($said)
                    : NginxChange::to($said, "{$name} ".implode(' ', $left));
                $findings[] = Finding::fail(
                    "{$name} has non_idempotent.",
                    [new Evidence($name, implode(' ', $said->arguments), $said->where())],
                    'The action of a request may run twice.',
                    $nginx->fix('Remove the word.', $change),
                )->about("{$name} of {$nginx->facts->place($said)}");
            }
        }

        return $findings === [] ? [Finding::pass('nginx sends a POST once')] : $findings;
    }
}
