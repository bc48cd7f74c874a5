<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class NoOpenFileCache implements NginxCheck
{
    /** Requests for files in one second. */
    private const MANY = 300;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->tryFiles() as $directive) {
            $place = $nginx->facts->place($directive);
            $findings[$place] ??= Finding::from(static fn (): Finding => self::ofPlace($nginx, $directive))
                ->about($place);
        }

        return array_values($findings);
    }

    private static function ofPlace(NginxServer $nginx, Directive $directive): Finding
    {
        $cache = $nginx->facts->setting('open_file_cache', $directive->parent ?? $directive);

        if (! $cache->is('off')) {
            return Finding::pass('nginx remembers files', $nginx->evidence($cache));
        }

        $log = $nginx->facts->accessLogsAt($directive->parent ?? $directive)[0] ?? throw FactUnavailable::because(
            'No access log is written, so the number of files that nginx serves is not known.',
            'sudo nginx -T | grep access_log',
        );
        $traffic = $nginx->traffic($log);
        $evidence = [
            $nginx->directiveEvidence($directive),
            $nginx->evidence($cache),
            new Evidence('files in the busiest second', (string) $traffic->files, $traffic->source),
        ];

        return ($traffic->files < self::MANY ? Finding::pass('few files are requested', ...$evidence) : Finding::warn(
            "{$traffic->files} files were requested in one second, and nginx searched for each and opened it.",
            $evidence,
            $nginx->fix([$nginx->set($cache, $directive, 'max=1000 inactive=20s')]),
        ))->observed();
    }
}
