<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Report;

use Headroom\Benchmarks\Report\Figures;
use Headroom\Benchmarks\Report\Template;
use Headroom\Benchmarks\Report\UnableToReport;
use Headroom\Process\TemporaryDirectory;
use Headroom\Report\Page\Tone;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class TemplateTest extends TestCase
{
    private const RESULTS = __DIR__.'/../../../../benchmarks/results';

    private TemporaryDirectory $directory;

    private Figures $figures;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('template');
        $machine = json_decode((string) file_get_contents(self::RESULTS.'/load.json'), true);
        self::assertIsArray($machine);
        $this->directory->write('made.json', json_encode([
            'experiment' => 'made',
            'machine' => $machine['machine'],
            'result' => ['lost' => 0, 'rate_per_s' => 1234.5],
            'parts?' => [],
            'samples' => ['median' => 0.5, 'min' => 0.25, 'max' => 0.75, 'spread' => 1, 'samples' => 3],
            'paired' => ['ratio' => 0.8, 'p25' => 0.7, 'p75' => 0.9, 'seen' => true],
            'unseen' => ['ratio' => 0.8, 'p25' => 0.7, 'p75' => 1.2, 'seen' => false],
            'rows' => [['name' => 'a=b', 'GET /' => ['n' => 7]], ['name' => 'c', 'GET /' => ['n' => null]]],
            'nanos' => 1500,
            'words' => ['one', 'two'],
        ], JSON_THROW_ON_ERROR));
        $this->figures = Figures::read($this->directory->file('made.json'), 'made');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    #[TestWith(['{result/rate_per_s|per_second}', '1,235/s', ''])]
    #[TestWith(['{samples|share}', '50.0 %', '25.0 % to 75.0 %'])]
    #[TestWith(['{paired|gain}', '-20.0 %', '-30.0 % to -10.0 %'])]
    #[TestWith(['{paired|times}', '0.800x', '0.700x to 0.900x'])]
    #[TestWith(['{unseen|gain}', 'no difference seen', '-30.0 % to +20.0 %'])]
    #[TestWith(['{rows/name=a=b/GET ~1/n|count}', '7', ''])]
    #[TestWith(['{rows/name=c/GET ~1/n|count}', '–', ''])]
    #[TestWith(['{rows/name=none/GET ~1/n|count}', 'not measured', ''])]
    #[TestWith(['{none?/n|count}', 'not measured', ''])]
    #[TestWith(['{nanos|nanos}', '1.50 µs', ''])]
    #[TestWith(['{rows|length}', '2', ''])]
    #[TestWith(['{words|text}', 'one, two', ''])]
    #[TestWith(["of {nanos|count}\n{words|text}", 'of 1,500', 'one, two'])]
    #[TestWith(['{result/rate_per_s|per_second|>=2000}', '1,235/s', 'target: at least 2,000/s'])]
    public function a_cell_has_its_figure_and_its_note(string $template, string $text, string $note): void
    {
        $cell = (new Template($template))->cell($this->figures);

        self::assertSame([$text, $note], [$cell->text, $cell->note]);
    }

    #[Test]
    #[TestWith(['{result/rate_per_s|count|>=1000}', Tone::Good])]
    #[TestWith(['{result/rate_per_s|count|>=2000}', Tone::Alert])]
    #[TestWith(['{result/rate_per_s|count|<=1000}', Tone::Alert])]
    #[TestWith(['{result/lost|count|=0}', Tone::Good])]
    #[TestWith(['{nanos|count|=0}', Tone::Alert])]
    #[TestWith(['lost: {nanos|count|=0}', Tone::Alert])]
    #[TestWith(['{unseen|gain}', Tone::Quiet])]
    public function a_target_decides_the_tone(string $template, Tone $tone): void
    {
        self::assertSame($tone, (new Template($template))->cell($this->figures)->tone);
    }

    #[Test]
    #[TestWith(['{result/none|count}', 'result/none'])]
    #[TestWith(['{words|count}', 'words'])]
    #[TestWith(['{rows/name=a=b/none|count}', 'rows/name=a=b/none'])]
    public function a_figure_that_must_be_there_is_named(string $template, string $named): void
    {
        $this->expectException(UnableToReport::class);
        $this->expectExceptionMessageMatches('~made\.json.*'.preg_quote($named, '~').'~');

        (new Template($template))->cell($this->figures);
    }
}
