<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\LoggedTraffic;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class NoOpenFileCache implements ServerCheck
{
    private const MANY = 300;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];
        $seen = [];

        foreach ($nginx->facts->tryFiles() as $said) {
            $cache = $nginx->facts->setting('open_file_cache', $said->parent ?? $said);
            $name = $nginx->facts->place($said);

            try {
                $findings[$name] ??= ($cache->is('off')
                    ? $this->finding($nginx, $said, $cache, $seen)
                    : Finding::pass(
                        'nginx remembers files',
                        new Evidence('open_file_cache', implode(' ', $cache->arguments ?? []), $cache->source),
                    ))->about($name);
            } catch (FactUnavailable $e) {
                $findings[$name] = Finding::unavailable($e)->about($name);
            }
        }

        return array_values($findings);
    }

    /**
     * @param array<string, LoggedTraffic> $seen by path of the log, which is read once
     *
     * @throws FactUnavailable
     */
    private function finding(NginxServer $nginx, Directive $said, NginxSetting $cache, array &$seen): Finding
    {
        $log = $nginx->facts->accessLogsAt($said->parent ?? $said)[0] ?? throw FactUnavailable::because(
            'No access log is written, so how many files nginx serves can not be told.',
            'sudo nginx -T | grep access_log',
        );
        $traffic = $seen[$log->path] ??= $nginx->traffic($log);
        $evidence = [
            new Evidence('try_files', implode(' ', $said->arguments), $said->where()),
            new Evidence('open_file_cache', 'off', $cache->source),
            new Evidence('files in the busiest second', (string) $traffic->files, $traffic->source),
        ];

        if ($traffic->files < self::MANY) {
            return Finding::pass('few files are asked for', ...$evidence)->withConfidence(Confidence::Observed);
        }

        $text = 'open_file_cache max=1000 inactive=20s';
        $change = $cache->said === null ? NginxChange::before($said, $text) : NginxChange::to($cache->said, $text);

        return Finding::warn(
            "{$traffic->files} files were asked for in one second, and each was looked for and opened.",
            $evidence,
            'CPU time goes to the file system, and on a network disk requests wait for it.',
            new Fix(
                'Remember a thousand of them, and look again after a minute, as nginx does by default'
                    .' (open_file_cache_valid): a file that a deploy replaces under its old name is seen as'
                    .' late as that.',
                NginxChange::edits($change),
                [$nginx->reload()],
                'Take the line back and reload nginx.',
            ),
        )->withConfidence(Confidence::Observed);
    }
}
