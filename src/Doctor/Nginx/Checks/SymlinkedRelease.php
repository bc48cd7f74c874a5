<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class SymlinkedRelease implements ServerCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            $script = $pass->scriptFilename?->argument(1) ?? '';

            if (! str_contains($script, '$document_root') && ! str_contains($script, '${document_root}')) {
                continue;
            }

            $place = $nginx->facts->place($pass->said);

            try {
                $findings[$place] ??= $this->finding($nginx, $pass, $script)->about($place);
            } catch (FactUnavailable $e) {
                $findings[$place] = Finding::unavailable($e)->about($place);
            }
        }

        return $findings === [] ? [Finding::pass('no script is named by $document_root')] : array_values($findings);
    }

    private function finding(NginxServer $nginx, FastcgiPass $pass, string $script): Finding
    {
        $root = $nginx->root($pass->said->parent ?? $pass->said);
        $release = $nginx->release($root);
        $said = $pass->scriptFilename;
        $evidence = [
            new Evidence('SCRIPT_FILENAME', $script, $said?->where() ?? ''),
            new Evidence('root', $root->argument(0) ?? '', $root->where()),
        ];

        if ($release === null) {
            return Finding::pass('no link of its path leads to one of several releases', ...$evidence);
        }

        $arguments = str_replace(
            ['$document_root', '${document_root}'],
            ['$realpath_root', '${realpath_root}'],
            $said->arguments ?? [],
        );
        $changes = $said === null ? [] : [NginxChange::to($said, NginxChange::written('fastcgi_param', $arguments))];

        return Finding::warn(
            "{$release->link} leads to {$release->target} now, with "
                .TerminalText::count(count($release->others), 'other release').' beside it.',
            [
                ...$evidence,
                new Evidence($release->link, $release->target, "ls -l {$release->link}"),
                new Evidence(
                    'beside it',
                    implode(', ', array_slice($release->others, 0, 3)),
                    'ls '.dirname($release->target),
                ),
            ],
            'After a deploy some requests run old code, and some a mixture.',
            new Fix(
                'Tell PHP the directory of the release.',
                NginxChange::edits(...$changes),
                [$nginx->reload()],
                'Put the line back and reload nginx.',
            ),
        );
    }
}
