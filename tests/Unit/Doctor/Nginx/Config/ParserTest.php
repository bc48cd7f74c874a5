<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\ParseIssue;
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

        self::assertSame([], $config->misreads);
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

        self::assertSame([], $config->misreads);
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
    public function directives_of_other_modules_are_read_without_objections(): void
    {
        $config = Configs::from(
            'rtmp { server { listen 1 2 3; application live { live on off; gzip; } location /x { } } } http { lua_x;'
                .' frob { a b c; upstream { } } }',
        );

        self::assertSame([], $config->misreads);
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

        self::assertSame([], $config->misreads);
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

    /**
     * @param list<ParseIssue|list<string>> $misreads
     * @param list<string> $tree
     */
    #[Test]
    #[DataProvider('broken')]
    public function a_broken_part_is_named_and_the_rest_is_read(string $text, array $misreads, array $tree): void
    {
        $config = Configs::from($text);

        Configs::assertMisread($misreads, $config->misreads);
        self::assertSame($tree, Configs::tree($config->main));
    }

    /** @return iterable<string, array{string, list<ParseIssue|list<string>>, list<string>}> */
    public static function broken(): iterable
    {
        yield 'a block open at the end' => [
            "http {\nserver {\ngzip on;\n}\n",
            [['1', 'http', '"http"']],
            ['http', '.server', '..gzip on'],
        ];
        yield 'a stray brace' => [
            "events {\n}\n}\nhttp { gzip on; }",
            [ParseIssue::strayBrace(Configs::FILE, 3)],
            ['events', 'http', '.gzip on'],
        ];
        yield 'a semicolon missing before the next line' => [
            "user www\nworker_processes 4;\npid p;",
            [['1', 'user', '"worker_processes"', ' 2']],
            ['user www', 'worker_processes 4', 'pid p'],
        ];
        yield 'a semicolon missing before a block' => [
            "pid p\nhttp {\ngzip on; }",
            [['1', 'pid', '"http"', ' 2']],
            ['pid p', 'http', '.gzip on'],
        ];
        yield 'semicolons missing in many lines' => [
            "http {\ngzip on\nsendfile on\n}",
            [ParseIssue::noSemicolon(Configs::FILE, 2, 'gzip', '"}"'), ['2', 'gzip', '"sendfile"', ' 3']],
            ['http', '.gzip on', '.sendfile on'],
        ];
        yield 'a semicolon missing in one line' => [
            'http { gzip on sendfile on; etag on; }',
            [ParseIssue::count(Configs::FILE, 1, 'gzip', 3)],
            ['http', '.gzip on sendfile on', '.etag on'],
        ];
        yield 'too few arguments' => [
            "http {\ngzip; etag on; }",
            [ParseIssue::count(Configs::FILE, 2, 'gzip', 0)],
            ['http', '.gzip', '.etag on'],
        ];
        yield 'a block for what takes none' => [
            "pid {\n a; }\nuser b;",
            [ParseIssue::noSemicolon(Configs::FILE, 1, 'pid', '"{"')],
            ['pid', '.a', 'user b'],
        ];
        yield 'no block for what takes one' => [
            "http { server;\n gzip on; }",
            [ParseIssue::noBlock(Configs::FILE, 1, 'server')],
            ['http', '.server', '.gzip on'],
        ];
        yield 'a brace missing before the next server' => [
            "http {\nserver {\nlocation / {\ngzip on;\n}\nserver {\netag on;\n}\n}\n",
            [['2', 'server', '"server"', ' 6']],
            ['http', '.server', '..location /', '...gzip on', '.server', '..etag on'],
        ];
        yield 'a map that is open' => [
            "http {\nmap \$a \$b {\nc d;\nserver {\n}\n}",
            [['2', 'map $a $b', '"server"', ' 4']],
            ['http', '.map $a $b', '..c d', '.server'],
        ];
        yield 'a block in a map' => [
            "http { map \$a \$b {\nc { d e; } } gzip on; }",
            [ParseIssue::unexpected(Configs::FILE, 2, '{')],
            ['http', '.map $a $b', '..c', '...d e', '.gzip on'],
        ];
        yield 'an entry without its value' => [
            "http { map \$a \$b {\nc; d e; } }",
            [ParseIssue::count(Configs::FILE, 2, 'c', 0)],
            ['http', '.map $a $b', '..c', '..d e'],
        ];
        yield 'a location outside' => [
            "location / {\ngzip on; }\npid p;",
            [['1', 'location', '"location"']],
            ['location /', '.gzip on', 'pid p'],
        ];
        yield 'lua without an end' => [
            "http {\ngzip on;\ncontent_by_lua_block { if { }\n",
            [['3', 'content_by_lua_block', '"content_by_lua_block"'], ['1', 'http', '"http"']],
            ['http', '.gzip on', ".content_by_lua_block  if { }\n"],
        ];
        yield 'a quote before a block' => [
            "http {\nserver {\nlocation ~ \"x\\.php {\ngzip on;\n}\n}\n}",
            [ParseIssue::unclosedQuote(Configs::FILE, 3, '"')],
            ['http', '.server', '..location ~ x\.php', '...gzip on'],
        ];
        yield 'not a configuration' => ['<?php echo 1;', [], ['<?php echo 1']];
    }

    #[Test]
    public function blocks_that_are_too_deep_are_named_and_the_rest_is_read(): void
    {
        $config = Configs::from(str_repeat("a {\n", 300).'b; c_by_lua_block { "}" }'.str_repeat('}', 300)."\npid p;");
        $deep = Configs::from(str_repeat("a {\n", 50_000));

        Configs::assertMisread([['201', 'a', ' 200 ']], $config->misreads);
        self::assertSame('pid p', $config->main->directives()[1]->text());
        self::assertCount(202, $deep->misreads);
    }
}
