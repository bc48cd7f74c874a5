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
final readonly class Uncompressed implements NginxCheck
{
    private const TYPES = 'gzip_types text/css text/plain application/javascript application/json image/svg+xml';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        foreach ($nginx->facts->servers() as $server) {
            $gzip = $nginx->facts->setting('gzip', $server);
            $types = $nginx->facts->setting('gzip_types', $server);
            $isOn = $gzip->is('on');
            $isHtmlOnly = array_diff($types->arguments ?? [], ['text/html']) === [];
            $http = $server->parent ?? $server;
            $evidence = [$nginx->evidence($gzip), $nginx->evidence($types)];
            // The lines that set them, or new lines in http.
            $changes = [
                ...($isOn ? [] : [NginxChange::ofSetting($gzip, 'gzip on') ?? NginxChange::into($http, 'gzip on')]),
                ...($isHtmlOnly ? [NginxChange::ofSetting($types, self::TYPES) ?? ($gzip->directive === null
                    ? NginxChange::into($http, self::TYPES)
                    : NginxChange::before($gzip->directive, self::TYPES))] : []),
            ];

            yield ($changes === [] ? Finding::pass('text is compressed', ...$evidence) : Finding::warn(
                $isOn ? 'Only text/html is compressed.' : 'Nothing is compressed.',
                $evidence,
                $nginx->fix($changes),
            ))->about($nginx->facts->place($server));
        }
    }
}
