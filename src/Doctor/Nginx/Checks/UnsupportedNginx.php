<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Versions\EndOfLifeAssessment;

/**
 * @internal
 */
final readonly class UnsupportedNginx implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $version = $nginx->facts->version ?? throw FactUnavailable::because(
            'The release of nginx is not known: it is a fork, or its program cannot be run.',
            'sudo nginx -v',
        );

        if ($version->maker !== null) {
            throw FactUnavailable::because(
                "This is {$version->maker}, which has its own dates of support;"
                    ." it is based on nginx {$version->number}.",
                'sudo nginx -v',
            );
        }

        $program = $nginx->master->isElsewhere === true ? null : $nginx->master->binary;
        $support = new EndOfLifeAssessment('nginx', 'nginx');
        $seen = new Evidence('nginx', $version->number, 'nginx -v');

        return [$support->of($version->number, $seen, $support->packed($program, $facts), $facts)];
    }
}
