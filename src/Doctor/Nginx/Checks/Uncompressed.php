<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class Uncompressed implements NginxCheck
{
    private const TYPES = 'gzip_types text/css text/plain application/javascript application/json image/svg+xml';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->servers() as $server) {
            $gzip = $nginx->facts->setting('gzip', $server);
            $types = $nginx->facts->setting('gzip_types', $server);
            $evidence = [
                $nginx->evidence($gzip),
                new Evidence('gzip_types', implode(' ', $types->arguments ?? []), $types->source),
            ];
            $isOn = $gzip->is('on');

            if ($isOn && array_diff($types->arguments ?? [], ['text/html']) !== []) {
                $findings[] = Finding::pass('text is compressed', ...$evidence)->about($nginx->facts->place($server));

                continue;
            }

            $findings[] = Finding::warn(
                $isOn ? 'Only text/html is compressed.' : 'Nothing is compressed.',
                $evidence,
                'Pages, scripts and JSON take longer to load.',
                $nginx->fix(
                    'Compress text of all kinds: gzip on; '.self::TYPES
                        .'; If a proxy or CDN in front of nginx compresses, ignore this check: --ignore=N12.',
                    ...self::changes($server, $gzip, $types),
                ),
            )->about($nginx->facts->place($server));
        }

        return $findings;
    }

    /** @return list<NginxChange> of the lines that set them, or new lines in http */
    private static function changes(Directive $server, NginxSetting $gzip, NginxSetting $types): array
    {
        $changes = [];
        $http = $server->parent ?? $server;

        if (! $gzip->is('on')) {
            $changes[] = $gzip->said === null
                ? NginxChange::into($http, 'gzip on')
                : NginxChange::to($gzip->said, 'gzip on');
        }

        if (array_diff($types->arguments ?? [], ['text/html']) === []) {
            $changes[] = match (true) {
                $types->said !== null => NginxChange::to($types->said, self::TYPES),
                $gzip->said !== null => NginxChange::before($gzip->said, self::TYPES),
                default => NginxChange::into($http, self::TYPES),
            };
        }

        return $changes;
    }
}
