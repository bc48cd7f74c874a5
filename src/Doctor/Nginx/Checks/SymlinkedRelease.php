<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Config\Directive;
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
            $scriptFilename = $pass->scriptFilename;
            $place = $nginx->facts->place($pass->directive);
            $resolved = str_replace(self::LINKED, self::RESOLVED, $scriptFilename->arguments ?? []);

            if ($scriptFilename !== null && ($resolved[1] ?? '') !== $scriptFilename->argument(1)) {
                $change = NginxChange::arguments($scriptFilename, $resolved);
                $findings[$place] ??= Finding::from(
                    static fn (): Finding => self::ofPass($nginx, $pass, $scriptFilename, $change),
                )
                    ->about($place);
            }
        }

        return $findings === [] ? [Finding::pass('no script is named by $document_root')] : array_values($findings);
    }

    private static function ofPass(
        NginxServer $nginx,
        FastcgiPass $pass,
        Directive $scriptFilename,
        NginxChange $change,
    ): Finding {
        $root = $nginx->root($pass->directive->parent ?? $pass->directive);
        $release = $nginx->release($root);
        $evidence = [
            new Evidence('SCRIPT_FILENAME', $scriptFilename->argument(1) ?? '', $scriptFilename->where()),
            $nginx->directiveEvidence($root),
        ];

        return $release === null
            ? Finding::pass('no link of its path leads to one of several releases', ...$evidence)
            : Finding::warn(
                "{$release->link} leads to {$release->target} now, next to "
                    .TerminalText::count(count($release->others), 'other release').'.',
                [...$evidence, ...$release->evidence()],
                $nginx->fix([$change]),
            );
    }
}
