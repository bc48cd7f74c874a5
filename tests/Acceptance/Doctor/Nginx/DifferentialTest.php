<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\Lexer;
use Headroom\Doctor\Nginx\Config\NginxDump;
use Headroom\Doctor\Nginx\Config\ParseIssues;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The real nginx says what is a configuration and what is not.
 */
final class DifferentialTest extends TestCase
{
    private TemporaryDirectory $directory;

    private RealNginx $nginx;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->directory = TemporaryDirectory::create('nginx-differential');
        $this->nginx = new RealNginx($this->directory);
        mkdir($this->directory->file('snippets'));
        $this->directory->write('snippets/b.conf', "add_header B b;\r\n# the end");
        $this->directory->write('snippets/a.conf', "\nadd_header A 'a'; # no newline after this\nexpires 1h;");
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test, Group('day-1')]
    public function valid_configurations_are_read_alike_from_the_dump_and_from_files(): void
    {
        $taken = 0;

        for ($seed = 1; $seed <= Sample::number(25, 100); $seed++) {
            $text = (new ConfigMaker($seed))->whole();
            $printed = $this->nginx->dump($text);

            if (RealNginx::parses($printed) !== true) {
                continue;
            }

            $taken++;
            $files = Parser::files(new DiskFiles, $this->directory->file('nginx.conf'));
            $dump = NginxDump::fromText($printed->output);
            self::assertNotNull($dump);
            $dumped = Parser::dump($dump);
            self::assertSame([], Trees::misreads($files), "Seed {$seed}:\n{$text}");
            self::assertSame([], Trees::misreads($dumped), "Seed {$seed}, nginx -T:\n{$text}");
            self::assertSame(Trees::lines($files->main), Trees::lines($dumped->main), "Seed {$seed}");
            self::assertSame($files->files, $dumped->files);
        }

        self::assertGreaterThan(Sample::number(10, 40), $taken);
    }

    #[Test, Group('day-3')]
    public function only_lines_that_nginx_refuses_are_misread(): void
    {
        $verdicts = ['taken' => 0, 'refused' => 0];

        for ($seed = 1; $seed <= Sample::number(50, 250); $seed++) {
            $text = (new ConfigMaker($seed))->slipped();
            $printed = $this->nginx->test($text);
            $parses = RealNginx::parses($printed);

            if ($parses === null) {
                continue;
            }

            $verdicts[$parses ? 'taken' : 'refused']++;
            $misreads = Trees::misreads(Parser::files(new DiskFiles, $this->directory->file('nginx.conf')));
            self::assertSame(
                $parses,
                $misreads === [],
                "Seed {$seed}: {$printed->errors}\n".implode("\n", $misreads)."\n{$text}",
            );
        }

        self::assertGreaterThan(Sample::number(3, 20), $verdicts['taken']);
        self::assertGreaterThan(Sample::number(10, 60), $verdicts['refused']);
    }

    #[Test, Group('day-1')]
    public function words_are_read_as_nginx_reads_them(): void
    {
        $named = 0;
        $refused = 0;

        for ($seed = 1; $seed <= Sample::number(30, 150); $seed++) {
            $word = (new ConfigMaker($seed))->word();
            $printed = $this->nginx->test("{$word} b;\n");
            $misreads = new ParseIssues;
            $seen = (new Lexer('f', "{$word} b;\n", $misreads))->next();

            if (preg_match('/unknown directive "(.*)" in /s', $printed->errors, $m) === 1) {
                $named++;
                self::assertSame([$m[1], []], [$seen->words[0], $misreads->all()], "Seed {$seed}: {$word}");
            } else {
                $refused++;
                self::assertNotSame([], $misreads->all(), "Seed {$seed}: {$word}\n{$printed->errors}");
            }
        }

        self::assertGreaterThan(Sample::number(8, 50), $named);
        self::assertGreaterThan(Sample::number(0, 10), $refused);
    }

    #[Test, Group('day-2')]
    #[DataProvider('lengths')]
    public function nginx_and_we_agree_on_how_long_a_word_may_be(string $before, int $length, string $after): void
    {
        $text = "events {}\npid pid;\n{$before}".str_repeat('c', $length).$after;
        $parses = RealNginx::parses($this->nginx->test($text));
        $misreads = Trees::misreads(Parser::files(new DiskFiles, $this->directory->file('nginx.conf')));

        self::assertSame($parses, $misreads === [], implode("\n", $misreads));
    }

    /** @return iterable<string, array{string, int, string}> */
    public static function lengths(): iterable
    {
        foreach ([4093, 4094, 4095, 4096, 4097, 9000] as $length) {
            yield "word of {$length}" => ['env ', $length, ';'];
            yield "word of {$length} before a blank" => ['env ', $length, ' ;'];
            yield "quoted word of {$length}" => ['env "', $length, '";'];
            yield "quoted word of {$length} before a blank" => ["env '", $length, "' ;"];
            yield "comment of {$length}" => ['#', $length, "\n"];
            yield "comment of {$length} at the end" => ['#', $length, ''];
            yield "quote over lines, {$length}" => ["env \"\n", $length, '";'];
        }
    }
}
