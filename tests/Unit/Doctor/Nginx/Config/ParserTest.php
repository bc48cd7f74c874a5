<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ParserTest extends TestCase
{
    #[Test]
    public function a_directive_knows_its_place(): void
    {
        $config = Configs::from("events {}\nhttp {\n  server {\n    location /a {\n      root\n/srv;\n    }\n  }\n}\n");
        $root = Configs::only($config, 'http', 'server', 'location')->block?->first('root');

        self::assertNotNull($root);
        self::assertSame(
            ['root', ['/srv'], '/etc/nginx/nginx.conf', 5, null],
            [$root->name, $root->arguments, $root->file, $root->line, $root->block],
        );
        self::assertSame(
            ['http', 'server', 'location', 'root'],
            array_map(static fn (Directive $one): string => $one->name, $root->path()),
        );
        self::assertSame([], Configs::only($config, 'events')->block?->directives());
    }

    #[Test]
    public function entries_of_a_map_are_no_directives(): void
    {
        $config = Configs::from(
            'http { map $uri $a { hostnames; default 0; fastcgi_pass x; include maps/*; } types { gzip on off;'
                .' server a; } split_clients $a $b { include x; 1% y; } }',
            ['/etc/nginx/maps/a' => 'server 1;'],
        );

        self::assertSame(
            [
                'http', '.map $uri $a', '..hostnames', '..default 0', '..fastcgi_pass x', '..server 1', '.types',
                '..gzip on off', '..server a', '.split_clients $a $b', '..include x', '..1% y',
            ],
            Configs::tree($config->main),
        );
        self::assertSame([], $config->inHttp('fastcgi_pass'));
    }

    #[Test]
    public function directives_of_other_modules_are_read(): void
    {
        $config = Configs::from(
            'rtmp { server { listen 1 2 3; application live { live on off; gzip; } location /x { } } } http { lua_x;'
                .' frob { a b c; upstream { } } }',
        );

        self::assertContains('..application live', Configs::tree($config->main));
    }

    #[Test]
    #[DataProvider('lua')]
    public function lua_is_one_argument(string $code): void
    {
        $config = Configs::from(
            "http { server { location / { content_by_lua_block {{$code}}\n gzip on; } set_by_lua_block \$a { return 1 }"
                .' gzip off; } }',
        );

        $location = Configs::only($config, 'http', 'server', 'location')->block;
        self::assertSame(
            [[$code], ['on']],
            [$location?->first('content_by_lua_block')?->arguments, $location?->first('gzip')?->arguments],
        );
        self::assertSame(
            ['$a', ' return 1 '],
            Configs::only($config, 'http', 'server')->block?->first('set_by_lua_block')?->arguments,
        );
    }

    /** @return iterable<string, array{string}> */
    public static function lua(): iterable
    {
        yield 'nothing' => [''];
        yield 'tables' => [' local a = { b = { 1 } } '];
        yield 'strings' => [' local a = "}\"}" .. \'}\\\'}\' '];
        yield 'a string of nginx, unclosed to it' => [" local a = 'it' -- it's }\n"];
        yield 'long brackets' => [' local a = [[ } ]] .. [==[ ]] } ]=] ]==] '];
        yield 'comments' => [" -- }\n --[[ } \n } ]] --[=[ }]] ]=] --[ }\n"];
        yield 'index and minus' => [' a[1] = b[a[2]] - -c '];
        yield 'a hash' => [" a = '#' .. #b "];
    }

    #[Test]
    #[DataProvider('broken')]
    public function a_broken_file_is_not_read_in_part(string $text, int $line): void
    {
        $refusal = Configs::refusal($text);

        self::assertStringContainsString(Configs::FILE.":{$line}", (string) $refusal?->getMessage());
        self::assertSame('nginx -t', $refusal?->command);
    }

    /** @return iterable<string, array{string, int}> */
    public static function broken(): iterable
    {
        yield 'a block open at the end' => ["http {\nserver {\ngzip on;\n}\n", 5];
        yield 'a stray brace' => ["events {\n}\n}\nhttp { gzip on; }", 3];
        yield 'a brace missing before the next server' => ["http {\nserver {\nserver {\n}\n}\n", 6];
        yield 'a quote before a block' => ["http {\nserver {\nlocation ~ \"x {\n}\n}\n}", 3];
        yield 'lua without an end' => ["http {\ncontent_by_lua_block { if { }\n", 2];
        yield 'lua whose string hides the end' => ["a_by_lua_block { '}", 1];
        yield 'lua whose long bracket hides the end' => ["a;\nb_by_lua_block { [=[ } ]] }\n", 2];
        yield 'more blocks in blocks than the doctor reads' => [str_repeat("a {\n", 300).str_repeat('}', 300), 201];
        yield 'blocks without an end' => [str_repeat("a {\n", 50_000), 201];
    }

    #[Test]
    public function two_hundred_blocks_in_blocks_are_read(): void
    {
        $config = Configs::from(str_repeat('a {', 200).'b;'.str_repeat('}', 200).'pid p;');

        self::assertCount(202, Configs::tree($config->main));
    }

    #[Test]
    public function lines_behind_lua_are_those_of_the_file(): void
    {
        $config = Configs::from("http {\ninit_by_lua_block\n{\nlocal a = [[\n}\n]]\n}\ngzip on;\n}\npid p;");

        self::assertSame(8, Configs::only($config, 'http')->block?->first('gzip')?->line);
        self::assertSame(10, $config->main->first('pid')?->line);
    }
}
