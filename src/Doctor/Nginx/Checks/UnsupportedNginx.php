<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Versions\EndOfSupport;

/**
 * @internal
 */
final readonly class UnsupportedNginx implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'N20',
            'This version of nginx gets no security fixes any more',
            Severity::Medium,
            Layer::Nginx,
            'The maker publishes no more fixes for this version, so a fault that becomes known stays open.'
                .' A distribution goes on fixing the version that it ships until the distribution itself ends;'
                .' such a package is judged by the end of its distribution.',
            'The release of nginx that runs is past its end of support, and it is not a package of a distribution that'
                .' still gets fixes.',
            EndOfSupport::sources('nginx'),
            60,
        );
    }

    public function examine(Facts $facts): array
    {
        $nginx = $facts->get(NginxServer::class);
        $version = $nginx->facts->version ?? throw FactUnavailable::because(
            'Which release of nginx this is cannot be told, as it is a fork, or its program cannot be asked.',
            'sudo nginx -v',
        );

        if ($version->maker !== null) {
            throw FactUnavailable::because(
                "This is {$version->maker}, whose releases end on days of its own;"
                    ." it is made of nginx {$version->number}.",
                'sudo nginx -v',
            );
        }

        $program = $nginx->master->isElsewhere === true ? null : $nginx->master->binary;
        $support = new EndOfSupport('nginx', 'nginx', 'N20');
        $seen = new Evidence('nginx', $version->number, 'nginx -v');

        return [$support->of($version->number, $seen, $support->packed($program, $facts), $facts)];
    }
}
