<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\PassTarget;
use Headroom\Doctor\Nginx\NginxFacts;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Where a fastcgi_pass by variables leads, in configurations that the nginx of a test machine may lack a module for.
 */
final class PassTargetsTest extends TestCase
{
    private const PASS = 'fastcgi_pass $b;';

    /**
     * @return iterable<string, array{string, string, list<string>, bool}> http, server, names that are known,
     *     whether these are all
     */
    public static function configurations(): iterable
    {
        $php = 'location ~ \.php$ { '.self::PASS.' }';

        yield 'a set of the server' => ['', "set \$b php; {$php}", ['php'], true];
        yield 'a set that is overwritten' => ['', 'set $b a; location / { set $b php; '.self::PASS.' }', ['php'], true];
        yield 'a set that may be overwritten' => [
            '',
            'set $b a; location / { if ($arg_x) { set $b php; } '.self::PASS.' }',
            ['a', 'php'],
            true,
        ];
        yield 'a condition with a pass of its own' => [
            '',
            'set $b a; location / { if ($arg_x) { set $b php; '.self::PASS.' } }',
            ['php'],
            true,
        ];
        yield 'a set behind a break' => [
            '',
            'set $b a; location / { if ($arg_x) { break; } set $b php; '.self::PASS.' }',
            ['a', 'php'],
            true,
        ];
        yield 'a set behind a rewrite that goes on' => [
            '',
            'set $b a; location / { rewrite ^/x /y; set $b php; '.self::PASS.' }',
            ['php'],
            true,
        ];
        yield 'a set of a server is made again' => [
            '',
            "set \$b php; location / { set \$b other; try_files \$uri /index.php; } {$php}",
            ['php'],
            true,
        ];
        yield 'a set that a rewrite takes along' => [
            '',
            "set \$b php; location / { set \$b other; rewrite ^ /index.php last; } {$php}",
            ['other', 'php'],
            true,
        ];
        yield 'a set that a name takes along' => [
            '',
            'set $b php; location / { set $b other; try_files $uri @php; } location @php { '.self::PASS.' }',
            ['other', 'php'],
            true,
        ];
    }

    /**
     * @return iterable<string, array{string, string, list<string>, bool}> http, server, names that are known,
     *     whether these are all
     */
    public static function setElsewhere(): iterable
    {
        $php = 'location ~ \.php$ { '.self::PASS.' }';

        yield 'a set of another server' => ['server { set $b other; }', $php, [], false];
        yield 'a set of itself' => ['', 'set $b php; location / { set $b "${b}_x"; '.self::PASS.' }', ['php_x'], true];
    }

    /**
     * @return iterable<string, array{string, string, list<string>, bool}> http, server, names that are known,
     *     whether these are all
     */
    public static function known(): iterable
    {
        $php = 'location ~ \.php$ { '.self::PASS.' }';

        yield 'the name of the server' => [
            '',
            'server_name .Shop.example b; set $b "unix:/run/$server_name.sock"; '.$php,
            ['unix:/run/shop.example.sock'],
            true,
        ];
        yield 'a name by an expression' => ['', 'server_name ~^(?<b>.+)\.example$; '.$php, [], false];
        yield 'the scheme' => ['map $scheme $b { https tls; default plain; }', $php, ['plain', 'tls'], true];
        yield 'a variable in capitals' => ['map $host $B { default php; }', $php, ['php'], true];
        yield 'a map of what is known' => [
            'map "x.example" $b { hostnames; default no; *.other no; .example php; }',
            $php,
            ['php'],
            true,
        ];
        yield 'a map of what is known, by an expression' => [
            'map "php82" $b { default no; ~*^PHP(\d)(?<minor>\d)$ php$1.$minor; }',
            $php,
            ['php8.2'],
            true,
        ];
        yield 'a word of a map as a key' => ['map "default" $b { \default php; default no; }', $php, ['php'], true];
        yield 'an expression that PHP does not take' => ['map "x" $b { "~(" no; default php; }', $php, ['php'], true];
        yield 'addresses by ranges' => [
            'geo $b { ranges; delete 10.0.0.0-10.0.0.9; default php; 10.0.0.0-10.0.0.1 two; }',
            $php,
            ['php', 'two'],
            true,
        ];
        yield 'clients that are all told' => ['split_clients $uri $b { 33.33% a; 66.67% b; }', $php, ['a', 'b'], true];
    }

    /**
     * @return iterable<string, array{string, string, list<string>, bool}> http, server, names that are known,
     *     whether these are all
     */
    public static function unknown(): iterable
    {
        $php = 'location ~ \.php$ { '.self::PASS.' }';

        yield 'Lua that sets a variable' => [
            '',
            "set \$b php; location ~ \.php$ { rewrite_by_lua_block { ngx.var.b = 'x' } ".self::PASS.' }',
            ['php'],
            false,
        ];
        yield 'Lua that makes a variable' => [
            '',
            'location / { set_by_lua_block $b { return "x" } '.self::PASS.' }',
            [],
            false,
        ];
        yield 'Lua that only logs' => [
            '',
            'set $b php; location / { log_by_lua_block { ngx.log(ngx.ERR, "x") } '.self::PASS.' }',
            ['php'],
            true,
        ];
        yield 'njs that makes a variable' => ['js_set $b main.backend;', $php, [], false];
        yield 'a directive of another module that may set it' => [
            '',
            "set \$b php; set_md5 \$b x; {$php}",
            ['php'],
            false,
        ];
        yield 'a block of another module that may set it' => [
            '',
            "set \$b php; frob { index \$b; } {$php}",
            ['php'],
            false,
        ];
        yield 'directives and entries that only read it' => [
            'map $uri $c { x $b; $b y; } log_format f $b; limit_req_zone $b zone=a:1m rate=1r/s;',
            "set \$b php; add_header B \$b; fastcgi_param B \$b; if ( \$b ) { return 200 \$b; } {$php}",
            ['php'],
            true,
        ];
        yield 'a place of the world' => ['geoip2 /a.mmdb { $b country iso_code; }', $php, [], false];
    }

    /** @param list<string> $names */
    #[Test]
    #[DataProvider('configurations')]
    #[DataProvider('setElsewhere')]
    #[DataProvider('known')]
    #[DataProvider('unknown')]
    public function a_pass_leads_to_all_that_its_variables_can_be(
        string $http,
        string $server,
        array $names,
        bool $isWhole,
    ): void {
        $config = Configs::from("http {\n{$http}\nserver {\n{$server}\n}\n}");
        $pass = array_values(
            array_filter(
                (new NginxFacts($config, null, 2))->passes(),
                static fn (FastcgiPass $pass): bool => $pass->address === '$b',
            ),
        )[0] ?? null;

        self::assertNotNull($pass);
        self::assertEqualsCanonicalizing(
            $names,
            array_map(static fn (PassTarget $target): string => $target->name, $pass->targets->known),
        );
        self::assertSame($isWhole, $pass->targets->rest === null, (string) $pass->targets->rest);
        self::assertSame($isWhole, $pass->unresolved() === null);
    }

    #[Test]
    public function more_values_than_can_be_gone_through_are_unknown(): void
    {
        $entries = implode('', array_map(static fn (int $number): string => "h{$number} php{$number};", range(1, 40)));
        $pass = (new NginxFacts(
            Configs::from(
                "http { map \$host \$a { default x; {$entries} } map \$host \$c { default y;"
                    ." {$entries} } server { location / { fastcgi_pass \"\$a\$c\"; } } }",
            ),
            null,
            2,
        ))->passes()[0];

        self::assertSame([], $pass->targets->known);
        self::assertNotNull($pass->unresolved());
    }
}
