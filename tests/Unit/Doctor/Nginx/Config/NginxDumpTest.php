<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\NginxDump;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class NginxDumpTest extends TestCase
{
    #[Test]
    public function each_file_keeps_its_lines(): void
    {
        $config = self::parse(
            "# configuration file /etc/nginx/nginx.conf:\nhttp {\n  include conf.d/*.conf;\n include mime;\n}\n\n#"
                ." configuration file /etc/nginx/conf.d/b.conf:\n\nserver { listen 81; }\n\n# configuration file"
                ." /etc/nginx/conf.d/a.conf:\nserver { listen 80; }\n# configuration file /etc/nginx/mime:\ntypes {}\n",
        );

        self::assertSame(
            ['http', '.server', '..listen 80', '.server', '..listen 81', '.types'],
            Configs::tree($config->main),
        );
        self::assertSame('/etc/nginx/conf.d/b.conf:2', $config->blocks('http', 'server')[1]->where());
    }

    #[Test]
    #[DataProvider('kept')]
    public function a_dump_that_was_kept_as_configuration_is_never_read_as_files(string $kept): void
    {
        $dump = NginxDump::fromText(
            "# configuration file /etc/nginx/nginx.conf:\ninclude kept;\npid p;\n\n# configuration file"
                ." /etc/nginx/kept:\n{$kept}\n\n",
        );

        if ($dump !== null) {
            $this->expectException(FactUnavailable::class);
            Parser::dump($dump);
        }

        self::assertNull($dump);
    }

    /** @return iterable<string, array{string}> */
    public static function kept(): iterable
    {
        yield 'of files with other names' => ["# configuration file /old.conf:\nevents {}\n"];
        yield 'of files with the same names' => ["# configuration file /etc/nginx/nginx.conf:\nevents {}\n"];
        yield 'in a block' => ["http {\n# configuration file /old.conf:\ngzip on;\n}\n"];
    }

    #[Test]
    public function a_pattern_matches_the_same_files_as_on_disk(): void
    {
        $file = static fn (string $name, string $text): string
            => "# configuration file /etc/nginx/{$name}:\n{$text}\n\n";
        $config = self::parse(
            $file('nginx.conf', "include conf.d/*;\ninclude conf.d/.hidden;\ninclude conf.d/deeper/c;")
                .$file('conf.d/b', 'env b;').$file('conf.d/a', 'env a;').$file('conf.d/.hidden', 'env h;')
                .$file('conf.d/deeper/c', 'env c;'),
        );

        self::assertSame(['env a', 'env b', 'env h', 'env c'], Configs::tree($config->main));
    }

    #[Test]
    public function a_file_that_was_not_printed_is_unknown(): void
    {
        $this->expectException(FactUnavailable::class);
        $this->expectExceptionMessageMatches('~/other.*/n:2~');

        self::parse("# configuration file /n:\npid p;\ninclude other; env a;\n");
    }

    #[Test]
    public function a_text_that_is_not_a_dump_is_null(): void
    {
        self::assertNull(NginxDump::fromText(''));
        self::assertNull(NginxDump::fromText("gzip on;\n# configuration file\n"));
        self::assertNull(NginxDump::fromText("# configuration file /n:\npid p;\n# configuration file /n:\nenv e;\n"));
    }

    private static function parse(string $text): NginxConfig
    {
        $dump = NginxDump::fromText($text);
        self::assertNotNull($dump);

        return Parser::dump($dump);
    }
}
