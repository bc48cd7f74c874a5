<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Database;

use Headroom\Sink\Database\Dialect\DriverMessage;

/**
 * Errors as PostgreSQL words them.
 */
final readonly class PostgresqlErrors
{
    /**
     * @return array<string, array{string, int, string, bool, string}> SQLSTATE, the driver's code, the server's text,
     *     whether it is of the moment, what is shown
     */
    public static function all(): array
    {
        return [
            'PostgreSQL raise in another language' => [
                '22023',
                7,
                "FEHLER:  Max Mustermann\nKONTEXT:  PL/pgSQL-Funktion f() Zeile 3 bei RAISE",
                false,
                DriverMessage::RAISED,
            ],
            'PostgreSQL duplicate' => [
                '23505',
                7,
                "ERROR:  duplicate key value violates unique constraint \"users_email\"\nDETAIL:"
                    .'  Key (email)=(secret) already exists.',
                false,
                'ERROR:  duplicate key value violates unique constraint "users_email"',
            ],
            'PostgreSQL null' => [
                '23502',
                7,
                "ERROR:  null value in column \"a\" of relation \"t\" violates not-null constraint\nDETAIL:"
                    .'  Failing row contains (1, secret, null).',
                false,
                'ERROR:  null value in column "a" of relation "t" violates not-null constraint',
            ],
            'PostgreSQL wrong type' => [
                '22P02',
                7,
                "ERROR:  invalid input syntax for type integer: \"column \"secret\"\"\nCONTEXT:"
                    ."  unnamed portal parameter $2 = 'secret'",
                false,
                'ERROR:  invalid input syntax for type integer: …',
            ],
            'PostgreSQL out of range' => [
                '22003',
                7,
                'ERROR:  value "4711" is out of range for type integer',
                false,
                'ERROR:  value is out of range for type integer',
            ],
            'PostgreSQL out of range of a float' => [
                '22003',
                7,
                "ERROR:  \"4711e999\" is out of range for type double precision\nCONTEXT:  unnamed portal parameter"
                    ." \$1 = '...'",
                false,
                'ERROR:  value is out of range for type double precision',
            ],
            'PostgreSQL in German' => [
                '22P02',
                7,
                'FEHLER:  ungültige Eingabesyntax für Typ integer: »secret«',
                false,
                'FEHLER:  ungültige Eingabesyntax für Typ integer: …',
            ],
            'PostgreSQL in Spanish' => [
                '22P02',
                7,
                'ERROR:  la sintaxis de entrada no es válida para tipo integer: «secret»',
                false,
                'ERROR:  la sintaxis de entrada no es válida para tipo integer: …',
            ],
            'PostgreSQL name of a table as a value' => [
                '42P01',
                7,
                "ERROR:  relation \"secret\" does not exist\nCONTEXT:  unnamed portal parameter \$1 = '...'",
                false,
                'ERROR:  relation …',
            ],
            'PostgreSQL too large' => [
                '54000',
                7,
                "ERROR:  index row size 2712 exceeds btree version 4 maximum 2704 for index \"i\"\nDETAIL:"
                    .'  Index row references tuple (0,1) in relation "t".',
                false,
                'ERROR:  index row size 2712 exceeds btree version 4 maximum 2704 for index "i"',
            ],
            'PostgreSQL character' => [
                '54000',
                7,
                'ERROR:  requested character too large for encoding: 4711',
                false,
                'ERROR:  requested character too large for encoding: …',
            ],
            'PostgreSQL raise of another state' => [
                '22023',
                7,
                "ERROR:  secret\nCONTEXT:  PL/pgSQL function f() line 1 at RAISE\nSQL statement \"SELECT"
                    ." f()\"\nPL/pgSQL function g() line 1 at PERFORM",
                false,
                DriverMessage::RAISED,
            ],
            'PostgreSQL null beside a value like a raise' => [
                '23502',
                7,
                "ERROR:  null value in column \"a\" of relation \"t\" violates not-null constraint\nDETAIL:"
                    ."  Failing row contains (s\nCONTEXT:  PL/pgSQL function f() line 1 at RAISE).",
                false,
                'ERROR:  null value in column "a" of relation "t" violates not-null constraint',
            ],
            'PostgreSQL date' => [
                '22008',
                7,
                'ERROR:  date/time field value out of range: "secret"',
                false,
                'ERROR:  date/time field value out of range: …',
            ],
            'PostgreSQL missing table' => [
                '42P01',
                7,
                "ERROR:  relation \"events\" does not exist\nLINE 1: insert into \"events\" values ('secret')",
                false,
                'ERROR:  relation "events" does not exist',
            ],
            'PostgreSQL raise' => [
                'P0001',
                7,
                "ERROR:  secret\nCONTEXT:  PL/pgSQL function f() line 1 at RAISE",
                false,
                DriverMessage::RAISED,
            ],
            'PostgreSQL deadlock' => [
                '40P01',
                7,
                "ERROR:  deadlock detected\nDETAIL:  Process 1 waits for ShareLock on transaction 2",
                true,
                'ERROR:  deadlock detected',
            ],
            'PostgreSQL serialization' => [
                '40001',
                7,
                'ERROR:  could not serialize access due to concurrent update',
                true,
                'ERROR:  could not serialize access due to concurrent update',
            ],
            'PostgreSQL shutdown' => [
                '57P01',
                7,
                "FATAL:  terminating connection due to administrator command\nserver closed the connection"
                    .' unexpectedly',
                true,
                'FATAL:  terminating connection due to administrator command',
            ],
            'PostgreSQL standby' => [
                '25006',
                7,
                'ERROR:  cannot execute UPDATE in a read-only transaction',
                false,
                'ERROR:  cannot execute UPDATE in a read-only transaction',
            ],
            'PostgreSQL refused' => [
                '08006',
                7,
                "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running on"
                    .' that host and accepting TCP/IP connections?',
                true,
                'connection to server at "127.0.0.1", port 1 failed: Connection refused',
            ],
        ];
    }
}
