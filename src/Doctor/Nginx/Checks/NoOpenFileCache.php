<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\LoggedTraffic;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class NoOpenFileCache implements Check
{
    private const MANY = 300;

    public function rule(): Rule
    {
        return new Rule(
            'N14',
            'nginx looks for the same files in each request',
            Severity::Low,
            Layer::Nginx,
            'try_files asks the file system for each name it lists, in each request, and the file that is found is'
                .' opened and closed again. With open_file_cache nginx remembers for some seconds what is there,'
                .' and keeps it open. At some requests a second that is nothing; at hundreds, or on a network disk,'
                .' it adds up.',
            'open_file_cache is off where try_files is, and the end of the access log has a second with 300 or more'
                .' requests for files.',
            ['https://nginx.org/en/docs/http/ngx_http_core_module.html#open_file_cache'],
            5,
        );
    }

    public function examine(Facts $facts): array
    {
        $nginx = $facts->get(NginxServer::class);
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
                $findings[$name] = Finding::unknown($e->getMessage(), $e->command)->about($name);
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
            return Finding::pass('few files are asked for', ...$evidence)->restingOn(Confidence::Observed);
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
                'headroom doctor --only=N14',
            ),
        )->restingOn(Confidence::Observed);
    }
}
