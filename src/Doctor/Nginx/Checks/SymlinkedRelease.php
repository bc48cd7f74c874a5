<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class SymlinkedRelease implements NginxCheck
{
    private const LINKED = ['$document_root', '${document_root}'];

    private const RESOLVED = ['$realpath_root', '${realpath_root}'];

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            $script = $pass->scriptFilename?->argument(1) ?? '';
            $place = $nginx->facts->place($pass->said);

            if (str_replace(self::LINKED, self::RESOLVED, $script) !== $script) {
                $findings[$place] ??= Finding::from(static fn (): Finding => self::ofPass($nginx, $pass, $script))
                    ->about($place);
            }
        }

        return $findings === [] ? [Finding::pass('no script is named by $document_root')] : array_values($findings);
    }

    private static function ofPass(NginxServer $nginx, FastcgiPass $pass, string $script): Finding
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

        $arguments = str_replace(self::LINKED, self::RESOLVED, $said->arguments ?? []);
        $others = implode(', ', array_slice($release->others, 0, 3));

        return Finding::warn(
            "{$release->link} leads to {$release->target} now, next to "
                .TerminalText::count(count($release->others), 'other release').'.',
            [
                ...$evidence,
                new Evidence($release->link, $release->target, "ls -l {$release->link}"),
                new Evidence('next to it', $others, 'ls '.dirname($release->target)),
            ],
            'After a deploy some requests run old code, and some a mixture.',
            $nginx->fix('Send PHP the directory of the release.', ...($said === null ? [] : [
                NginxChange::to($said, NginxChange::written('fastcgi_param', $arguments)),
            ])),
        );
    }
}
