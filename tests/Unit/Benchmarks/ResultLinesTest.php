<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks;

use Headroom\Benchmarks\ResultLines;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;

final class ResultLinesTest extends DirectoryTestCase
{
    #[Test]
    public function each_experiment_has_its_last_line_under_its_name(): void
    {
        $this->log('load', "words\nRESULT {\"old\":1}\nRESULT {\"requests_per_second\":65372.8,\"none\":{}}\n");
        $this->log('logs', "RESULT {\"peak_mb\":{\"slow\":8.0}}\nand words\n");

        self::assertSame(
            '{"logs":{"peak_mb":{"slow":8.0}},"load":{"requests_per_second":65372.8,"none":{}}}',
            json_encode((new ResultLines($this->directory->path))->of('logs', 'load'), JSON_PRESERVE_ZERO_FRACTION),
        );
    }

    /** One that failed, one that never began, one that was cut off. */
    #[Test]
    public function one_without_an_end_is_null_and_not_left_out(): void
    {
        $this->log('load', "it failed\n");
        $this->log('logs', 'RESULT {"peak_mb":}');

        self::assertSame(
            ['load' => null, 'preload' => null, 'logs' => null],
            (new ResultLines($this->directory->path))->of('load', 'preload', 'logs'),
        );
    }

    private function log(string $name, string $text): void
    {
        file_put_contents("{$this->directory->path}/{$name}.log", $text);
    }
}
