<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

/**
 * Files of scenarios that load refuses before the first request.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class ScenarioFileTest extends LoadCommandTestCase
{
    /** @return iterable<string, array{string, list<string>}> the file, and the names and numbers in the message */
    public static function wrong(): iterable
    {
        yield 'no JSON' => ['{', ['JSON', 'Syntax error']];
        yield 'a list' => ['[]', ['[]']];
        yield 'no steps' => ['{}', ['steps']];
        yield 'no step' => ['{"steps":[]}', ['steps', '[]']];
        yield 'an unknown key' => ['{"steps":[{"path":"/","paths":1}]}', ['steps[0].paths', 'name', 'method']];
        yield 'no path' => ['{"steps":[{"name":"x"}]}', ['steps[0].path']];
        yield 'a path that is none' => ['{"steps":[{"path":"login"}]}', ['steps[0].path', '"login"']];
        yield 'a host that is filled in' => [
            '{"steps":[{"path":"http://{{n}}/"}]}', ['steps[0].path', '"http://{{n}}/"'],
        ];
        yield 'a foreign host' => ['{"steps":[{"path":"http://example.invalid/"}]}', ['example.invalid']];
        yield 'an unknown value' => [
            '{"steps":[{"path":"/{{token}}"}]}', ['steps[0].path', '"/{{token}}"', '{{n}}, {{uuid}}, {{random:A-B}}'],
        ];
        yield 'a value known later' => [
            '{"steps":[{"path":"/","form":{"a":"{{x}}"}},{"path":"/","capture":{"x":{"json":"id"}}}]}',
            ['steps[0].form.a', '"{{x}}"'],
        ];
        yield 'a number beyond a float' => ['{"steps":[{"path":"/","json":{"a":[1e999]}}]}', ['1.8e308']];
        yield 'a length of time with too many digits' => [
            '{"steps":[{"path":"/","think":12345678901234567890}]}',
            ['steps[0].think', '12345678901234567890', '0', '3600'],
        ];
        yield 'two bodies' => ['{"steps":[{"path":"/","body":"a","json":{}}]}', ['body', 'json', 'form']];
        yield 'a body of HEAD' => ['{"steps":[{"path":"/","body":"a","method":"HEAD"}]}', ['HEAD']];
        yield 'no status' => [
            '{"steps":[{"path":"/"},{"path":"/","expect":{"status":[200,"ok"]}}]}',
            ['steps[1].expect.status[1]', '"ok"', '100', '599'],
        ];
        yield 'an expression that is none' => [
            '{"steps":[{"path":"/","capture":{"x":{"regex":"(("}}}]}', ['steps[0].capture.x.regex', '"(("'],
        ];
        yield 'two ways' => [
            '{"steps":[{"path":"/","capture":{"x":{"regex":"a","json":"b"}}}]}',
            ['steps[0].capture.x', '{"regex":"a","json":"b"}'],
        ];
        yield 'a name that is taken' => [
            '{"steps":[{"path":"/","capture":{"n":{"json":"b"}}}]}', ['steps[0].capture.n'],
        ];
        yield 'no time' => ['{"steps":[{"path":"/","think":[3,1]}]}', ['steps[0].think', '[3,1]']];
        yield 'no data' => ['{"steps":[{"path":"/"}],"data":"gone.csv"}', ['gone.csv']];
        yield 'a row too short' => ['{"steps":[{"path":"/"}],"data":"short.csv"}', ['short.csv', '1', '2', '2']];
        yield 'a column twice' => ['{"steps":[{"path":"/"}],"data":"twice.csv"}', ['twice.csv', "'a'"]];
        yield 'no rows' => ['{"steps":[{"path":"/"}],"data":"empty.csv"}', ['empty.csv']];
    }

    /** @param list<string> $named */
    #[Test, Group('day-2')]
    #[DataProvider('wrong')]
    public function a_mistake_in_the_file_is_told_with_its_place(string $json, array $named): void
    {
        $this->directory->write('short.csv', "a,b\n1,2\n3\n");
        $this->directory->write('twice.csv', "a,a\n1,2\n");
        $this->directory->write('empty.csv', "a,b\n");
        $process = Headroom::load(
            $this->server->url(''),
            "--scenario={$this->directory->write('wrong.json', $json)}",
            '--no-interaction',
        );

        self::assertSame(2, $process->getExitCode(), $process->getErrorOutput());
        Sentence::assertNames($named, $process->getErrorOutput());
        Snapshot::assertPrinted(
            'load scenario',
            "{$this->dataName()}",
            (string) preg_replace('/\s+/', ' ', $process->getErrorOutput()),
        );
        self::assertSame([], $this->server->requests());
    }

    #[Test]
    public function files_that_would_fill_the_memory_are_refused(): void
    {
        $data = $this->directory->write('large.csv', "a\n\"");
        $scenario = $this->directory->write('large.json', '{"steps":[{"path":"/"}]}');
        $small = $this->directory->write('small.json', '{"steps":[{"path":"/"}],"data":"large.csv"}');

        foreach ([
            [$data, $small, [$data, '17000000', '16777216']],
            [$scenario, $scenario, [$scenario, '16777216']],
        ] as [$grown, $played, $named]) {
            $file = fopen($grown, 'r+');
            self::assertNotFalse($file);
            ftruncate($file, 17_000_000);
            fclose($file);
            $process = Headroom::load($this->server->url(''), "--scenario={$played}", '--no-interaction');

            self::assertSame(2, $process->getExitCode(), $process->getErrorOutput());
            Sentence::assertNames($named, $process->getErrorOutput());
        }
    }
}
