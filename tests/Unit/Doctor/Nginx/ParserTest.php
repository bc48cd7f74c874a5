<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Facts\Nginx\Directive;
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

        self::assertSame([], Configs::misreads($config));
        self::assertNotNull($root);
        self::assertSame(['root', ['/srv'], '/etc/nginx/nginx.conf', 5, null], [$root->name, $root->arguments, $root->file, $root->line, $root->block]);
        self::assertSame(['http', 'server', 'location', 'root'], array_map(static fn (Directive $one): string => $one->name, $root->path()));
        self::assertSame([], Configs::only($config, 'events')->block?->directives());
    }

    #[Test]
    public function entries_of_a_map_are_no_directives(): void
    {
        $config = Configs::from('http { map $uri $a { hostnames; default 0; fastcgi_pass x; include maps/*; } types { gzip on off; server a; } split_clients $a $b { include x; 1% y; } }', ['/etc/nginx/maps/a' => 'server 1;']);

        self::assertSame([], Configs::misreads($config));
        self::assertSame(
            ['http', '.map $uri $a', '..hostnames', '..default 0', '..fastcgi_pass x', '..server 1', '.types', '..gzip on off', '..server a', '.split_clients $a $b', '..include x', '..1% y'],
            Configs::tree($config->main),
        );
        self::assertSame([], $config->inHttp('fastcgi_pass'));
    }

    #[Test]
    public function what_other_modules_bring_is_taken_as_it_comes(): void
    {
        $config = Configs::from('rtmp { server { listen 1 2 3; application live { live on off; gzip; } location /x { } } } http { lua_x; frob { a b c; upstream { } } }');

        self::assertSame([], Configs::misreads($config));
        self::assertContains('..application live', Configs::tree($config->main));
    }

    #[Test]
    #[DataProvider('lua')]
    public function lua_is_one_argument(string $code): void
    {
        $config = Configs::from("http { server { location / { content_by_lua_block {{$code}}\n gzip on; } set_by_lua_block \$a { return 1 } gzip off; } }");

        self::assertSame([], Configs::misreads($config));
        $location = Configs::only($config, 'http', 'server', 'location')->block;
        self::assertSame([[$code], ['on']], [$location?->first('content_by_lua_block')?->arguments, $location?->first('gzip')?->arguments]);
        self::assertSame(['$a', ' return 1 '], Configs::only($config, 'http', 'server')->block?->first('set_by_lua_block')?->arguments);
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
     * @param list<string> $misreads
     * @param list<string> $tree
     */
    #[Test]
    #[DataProvider('broken')]
    public function what_is_broken_is_named_and_what_stands_around_it_is_read(string $text, array $misreads, array $tree): void
    {
        $config = Configs::from($text);

        self::assertSame($misreads, Configs::misreads($config));
        self::assertSame($tree, Configs::tree($config->main));
    }

    /** @return iterable<string, array{string, list<string>, list<string>}> */
    public static function broken(): iterable
    {
        yield 'a block open at the end' => ["http {\nserver {\ngzip on;\n}\n", ['the block "http" that opens here is not closed before the end of the file in 1'], ['http', '.server', '..gzip on']];
        yield 'a stray brace' => ["events {\n}\n}\nhttp { gzip on; }", ['unexpected "}": no block is open in this file in 3'], ['events', 'http', '.gzip on']];
        yield 'a semicolon missing before the next line' => ["user www\nworker_processes 4;\npid p;", ['"user" is not ended by ";" before "worker_processes" in line 2 in 1'], ['user www', 'worker_processes 4', 'pid p']];
        yield 'a semicolon missing before a block' => ["pid p\nhttp {\ngzip on; }", ['"pid" is not ended by ";" before "http" in line 2 in 1'], ['pid p', 'http', '.gzip on']];
        yield 'semicolons missing in many lines' => ["http {\ngzip on\nsendfile on\n}", ['"gzip" is not ended by ";" before "}" in 2', '"gzip" is not ended by ";" before "sendfile" in line 3 in 2'], ['http', '.gzip on', '.sendfile on']];
        yield 'a semicolon missing in one line' => ['http { gzip on sendfile on; etag on; }', ['"gzip" does not take 3 arguments in 1'], ['http', '.gzip on sendfile on', '.etag on']];
        yield 'too few arguments' => ["http {\ngzip; etag on; }", ['"gzip" does not take 0 arguments in 2'], ['http', '.gzip', '.etag on']];
        yield 'a block for what takes none' => ["pid {\n a; }\nuser b;", ['"pid" is not ended by ";" before "{" in 1'], ['pid', '.a', 'user b']];
        yield 'no block for what takes one' => ["http { server;\n gzip on; }", ['"server" has no opening "{" in 1'], ['http', '.server', '.gzip on']];
        yield 'a brace missing before the next server' => [
            "http {\nserver {\nlocation / {\ngzip on;\n}\nserver {\netag on;\n}\n}\n",
            ['the block "server" that opens here is not closed before "server" in line 6 in 2'],
            ['http', '.server', '..location /', '...gzip on', '.server', '..etag on'],
        ];
        yield 'a map that is open' => ["http {\nmap \$a \$b {\nc d;\nserver {\n}\n}", ['the block "map $a $b" that opens here is not closed before "server" in line 4 in 2'], ['http', '.map $a $b', '..c d', '.server']];
        yield 'a block in a map' => ["http { map \$a \$b {\nc { d e; } } gzip on; }", ['unexpected "{" in 2'], ['http', '.map $a $b', '..c', '...d e', '.gzip on']];
        yield 'an entry without its value' => ["http { map \$a \$b {\nc; d e; } }", ['"c" does not take 0 arguments in 2'], ['http', '.map $a $b', '..c', '..d e']];
        yield 'a location outside' => ["location / {\ngzip on; }\npid p;", ['"location" is not allowed in the outermost place in 1'], ['location /', '.gzip on', 'pid p']];
        yield 'lua without an end' => ["http {\ngzip on;\ncontent_by_lua_block { if { }\n", ['the block "content_by_lua_block" that opens here is not closed before the end of the file in 3', 'the block "http" that opens here is not closed before the end of the file in 1'], ['http', '.gzip on', ".content_by_lua_block  if { }\n"]];
        yield 'a quote before a block' => ["http {\nserver {\nlocation ~ \"x\\.php {\ngzip on;\n}\n}\n}", ['the " that opens here is not closed; it is read to the end of its line in 3'], ['http', '.server', '..location ~ x\.php', '...gzip on']];
        yield 'not a configuration' => ['<?php echo 1;', [], ['<?php echo 1']];
    }

    #[Test]
    public function blocks_that_are_too_deep_are_left_out_by_name_and_what_follows_is_read(): void
    {
        $config = Configs::from(str_repeat("a {\n", 300).'b; c_by_lua_block { "}" }'.str_repeat('}', 300)."\npid p;");
        $deep = Configs::from(str_repeat("a {\n", 50_000));

        self::assertSame(['blocks are nested more than 200 deep; what this one holds is not read in 201'], Configs::misreads($config));
        self::assertSame('pid p', $config->main->directives()[1]->text());
        self::assertCount(202, $deep->misreads);
    }
}
