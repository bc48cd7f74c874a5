<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Versions\Distribution;
use Headroom\Doctor\Versions\EndOfLifeAssessment;

/**
 * @internal
 */
final readonly class UnsupportedDatabase implements Check
{
    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        [$product, $name] = match ($server->engine) {
            Engine::Mysql => ['mysql', 'MySQL'],
            Engine::Mariadb => ['mariadb', 'MariaDB'],
            Engine::Postgres => ['postgresql', 'PostgreSQL'],
        };
        // MariaDB prefixes its version with 5.5.5-, because old clients treat 10 as less than 5.
        $version = (string) preg_replace('/\A5\.5\.5-(?=\d)/', '', $server->version);
        $fork = $server->fork();

        if ($fork !== null) {
            throw FactUnavailable::because(
                "This is {$fork}, which has its own releases and claims to be {$name} {$version}.",
                $server->isMysql() ? "mysql -e 'select version(), @@version_comment'" : "psql -c 'select version()'",
            );
        }

        yield (new EndOfLifeAssessment($product, $name))->of(
            $version,
            new Evidence($name, $server->version, 'select version()'),
            static fn (): ?Distribution => Distribution::named($server->version) ?? self::maintained($server, $name),
            $facts,
        );
    }

    /** @throws FactUnavailable */
    private static function maintained(DatabaseServer $server, string $name): null
    {
        $provider = $server->provider();

        return $provider === null ? null : throw FactUnavailable::because(
            "{$name} {$server->version} is past its end of support, and its provider, {$provider}, may fix it"
                .' for longer.',
            $server->isMysql() ? "mysql -e \"show variables like 'version%'\"" : "psql -c 'select version()'",
        );
    }
}
