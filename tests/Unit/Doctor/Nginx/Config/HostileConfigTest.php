<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Bytes that are not a configuration, or half of one, are unknown after little time and memory.
 */
final class HostileConfigTest extends TestCase
{
    private const RICH = <<<'NGINX'
        # a comment
        user www-data;
        events { worker_connections 64; }
        http {
            log_format main '$remote_addr "$request" '
                            '\'$status\'';
            map $uri $m { hostnames; "~^/\d{2}$" "a b"; default ${x}y; }
            init_by_lua_block { local a = "}" -- }
              b = { [[ } ]] } }
            server {
                location ~ "^/(\w{2})\.php$" { set $a "${b}c\"d"; if ($a = "e") { return 200 'f;'; } }
                include extra;
            }
        }
        NGINX;

    /** In bytes. Ten times as much takes ten times as long. */
    private const FLOOD = 300_000;

    #[Test]
    public function a_configuration_that_breaks_off_anywhere_is_unknown_or_whole(): void
    {
        $more = ['/etc/nginx/extra' => 'gzip on;'];
        $whole = Configs::tree(Configs::from(self::RICH, $more)->main);
        $read = [];

        for ($length = 0; $length < strlen(self::RICH); $length++) {
            $text = substr(self::RICH, 0, $length);

            try {
                $tree = Configs::tree(Configs::from($text, $more)->main);
            } catch (FactUnavailable) {
                continue;
            }

            self::assertSame(array_slice($whole, 0, count($tree)), $tree, "After {$length} bytes.");
            $read[] = $text;
        }

        // Only where all blocks are closed it is a whole configuration: up to `user`, behind it, and behind `events`.
        foreach ($read as $text) {
            self::assertMatchesRegularExpression(
                '/\A(?:#[^\n]*|# a comment\n(?:user www-data;\n?)?|.*64; }\n?)?\z/s',
                $text,
            );
        }

        self::assertCount(strlen("# a comment\n") + 1 + strlen(";\n") + strlen("}\n"), $read);
    }

    #[Test]
    public function random_bytes_are_read_or_unknown(): void
    {
        $random = new Randomizer(new Mt19937(7));
        $alphabet = [
            'a ', "gzip on;\n", 'server {', '}', ';', '"', "'", '\\', '#', "\n", '$', '${', "\0", "\xFF", "\u{FEFF}",
            'x_by_lua_block {', '[[', ']]', '--', "include *;\n", "include nginx.conf;\n", "include a;\n",
            'map $a $b {', "\r", ')',
        ];
        $read = 0;

        for ($i = 0; $i < Sample::number(300, 1_500); $i++) {
            $text = '';

            for ($length = $random->getInt(1, 60); $length > 0; $length--) {
                $text .= $i % 3 === 0 ? $random->getBytes(3) : $alphabet[$random->getInt(0, count($alphabet) - 1)];
            }

            try {
                Configs::from($text, ['/etc/nginx/a' => substr($text, 3)]);
                $read++;
            } catch (FactUnavailable $e) {
                self::assertSame(
                    1,
                    preg_match('~ in /etc/nginx/(?:a|nginx\.conf):(\d+)\.\z~', $e->getMessage(), $m),
                    $e->getMessage(),
                );
                self::assertLessThanOrEqual(substr_count($text, "\n") + 1, (int) $m[1]);
            }
        }

        self::assertGreaterThan(0, $read);
    }

    /** @param int $most bytes of memory for each byte read */
    #[Test]
    #[DataProvider('floods')]
    public function a_flood_takes_memory_by_its_length_and_comes_to_an_end(
        string $piece,
        int $most,
        bool $isRead = false,
    ): void {
        $text = str_repeat($piece, intdiv(self::FLOOD, strlen($piece)));
        gc_collect_cycles();
        memory_reset_peak_usage();
        $before = memory_get_usage();

        self::assertSame($isRead, Configs::refusal($text) === null);
        self::assertLessThan($most * self::FLOOD + 8_000_000, memory_get_peak_usage() - $before);
    }

    /** @return iterable<string, array{0: string, 1: int, 2?: bool}> */
    public static function floods(): iterable
    {
        yield 'quotes' => ['"', 60];
        yield 'quotes that do not close' => ["a 'b;\n", 100];
        yield 'quotes that close one line later' => ["\"a\n", 100];
        yield 'opening braces' => ['{', 8];
        yield 'blocks' => ["server {\n", 8];
        yield 'closing braces' => ["}\n", 8];
        yield 'semicolons' => [';', 8];
        yield 'no semicolons' => ["gzip on\n", 200];
        yield 'escapes' => ['\\', 8];
        yield 'escapes in quotes' => ["'\\\\", 8];
        yield 'dollars' => ['${', 8];
        yield 'comments' => ["#\n", 8, true];
        yield 'directives' => ["a b;\n", 400, true];
        yield 'blocks of lua' => ["a_by_lua_block {\n", 8];
        yield 'long brackets of lua' => ['a_by_lua_block { [==[ ', 8];
        yield 'files that are not there' => ["include a;\n", 8];
        yield 'one word' => ['a', 8];
        yield 'words' => ['a ', 60];
    }

    #[Test]
    public function a_file_of_megabytes_is_read(): void
    {
        $server = "server {\n  listen 80; # c\n  location ~ \"\\.php\$\" {\n    fastcgi_pass unix:/run/php.sock;\n"
            ."    fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name;\n  }\n}\n";
        $count = intdiv(Sample::number(1_000_000, 10_000_000), strlen($server));
        $config = Configs::from("http {\n".str_repeat($server, $count).'}');
        $passes = $config->inHttp('fastcgi_pass');

        self::assertCount($count, $passes);
        self::assertSame(5 + ($count - 1) * 7, $passes[$count - 1]->line);
        self::assertSame(
            ['http', 'server', 'location', 'fastcgi_pass'],
            array_map(static fn (Directive $one): string => $one->name, $passes[0]->path()),
        );

        // Blocks and their directives refer to each other: 170 MB stay until PHP collects cycles.
        unset($config, $passes);
        gc_collect_cycles();
    }
}
