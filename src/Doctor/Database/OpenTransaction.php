<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Evidence;

/**
 * An open transaction without its SQL, which may contain data of users.
 *
 * @internal
 */
final readonly class OpenTransaction
{
    public function __construct(public string $id, public float $seconds, public string $state) {}

    /** @param bool $isMysql otherwise PostgreSQL */
    public function evidence(bool $isMysql): Evidence
    {
        return new Evidence(
            "connection {$this->id}",
            sprintf('%.0f s, %s', $this->seconds, $this->state),
            self::source($isMysql),
        );
    }

    public static function none(bool $isMysql): Evidence
    {
        return new Evidence('open for more than 10 s', '0', self::source($isMysql));
    }

    private static function source(bool $isMysql): string
    {
        return $isMysql ? 'information_schema.innodb_trx' : 'pg_stat_activity';
    }

    /** The command that ends it. */
    public function end(bool $isMysql): string
    {
        return $isMysql ? "mysql -e 'kill {$this->id}'" : "psql -c 'select pg_terminate_backend({$this->id})'";
    }
}
