<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Database;

use Headroom\Doctor\Check;
use Headroom\Doctor\Checks\EndOfSupport;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Database\Engine;
use Headroom\Doctor\Facts\Versions\Distribution;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class UnsupportedDatabase implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'D11',
            'This version of the database gets no security fixes any more',
            Severity::Medium,
            Layer::Database,
            'The maker publishes no more fixes for this version, so a fault that becomes known stays open. A distribution goes on fixing the version that it ships until the distribution itself ends; such a package is judged by the end of its distribution.',
            'The release of MySQL, MariaDB or PostgreSQL is past its end of support, and its version does not tell of a distribution that still gets fixes.',
            EndOfSupport::sources('mysql', 'mariadb', 'postgresql'),
            240,
        );
    }

    public function examine(Facts $facts): array
    {
        $server = $facts->get(DatabaseServer::class);
        [$product, $name] = match ($server->engine) {
            Engine::Mysql => ['mysql', 'MySQL'],
            Engine::Mariadb => ['mariadb', 'MariaDB'],
            Engine::Postgres => ['postgresql', 'PostgreSQL'],
        };
        $version = preg_match('/\d+(?:\.\d+)*/', $server->version, $number) === 1 ? $number[0] : $server->version;
        $seen = new Evidence($name, $server->version, 'select version()');

        return [(new EndOfSupport($product, $name, 'D11'))->of($version, $seen, static fn (): ?Distribution => Distribution::named($server->version), $facts)];
    }
}
