<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Core\Clock;
use Headroom\Host\Fpm\PoolScript;
use Headroom\Process\UnableToStart;

/**
 * A script that a pool runs in place of the application's: it starts excimer, runs the application's, and writes the
 * samples to a file.
 *
 * FastCGI's PHP_VALUE could set auto_prepend_file instead, but php-fpm keeps such a value for all later requests of
 * that process: once the file is gone, each of them fails with "Failed opening required". This script sets nothing.
 *
 * @internal
 */
final class SamplingScript
{
    /** Functions of PHP that the script calls; a host may disable some. */
    public const FUNCTIONS = [
        'chdir', 'file_put_contents', 'getrusage', 'json_encode', 'register_shutdown_function', 'usleep',
    ];

    /** If the doctor is killed, its script remains. After this time the script does nothing. */
    private const SECONDS = 60;

    /** The most bytes of the samples of one request. A stack has at most 250 functions. */
    private const MOST_BYTES = 8_388_608;

    private const CODE = <<<'PHP'
        <?php
        if (time() > %UNTIL% || ! class_exists('ExcimerProfiler', false) || ! isset($_SERVER['HEADROOM_SCRIPT'])) {
            http_response_code(404);
            exit;
        }
        (static function (): void {
            // The application sees the request as the web server would have sent it.
            $_SERVER['SCRIPT_FILENAME'] = $_SERVER['HEADROOM_SCRIPT'];
            $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $_SERVER['HEADROOM_NAME'];
            unset($_SERVER['HEADROOM_SCRIPT'], $_SERVER['HEADROOM_NAME']);
            chdir(dirname($_SERVER['SCRIPT_FILENAME']));
            $cpu = static function (): int {
                $used = getrusage();
                $seconds = $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'];
                return 1000000 * $seconds + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
            };
            $name = static function (array $frame): string {
                $function = $frame['function'] ?? '';
                $class = isset($frame['class']) ? "{$frame['class']}::" : '';
                return match (true) {
                    ($frame['file'] ?? '') === __FILE__ => 'PHP, before and after the script',
                    $function === '' => 'code of '.basename($frame['file'] ?? ''),
                    isset($frame['closure_line']) => "{$class}{closure}:{$frame['closure_line']}",
                    default => "{$class}{$function}()",
                };
            };
            $profiler = new ExcimerProfiler;
            $profiler->setEventType(EXCIMER_CPU);
            $profiler->setPeriod(0.001);
            $profiler->setMaxDepth(250);
            $finish = static function () use ($profiler, $cpu, $name, &$from): void {
                $profiler->stop();
                $used = $cpu() - $from;
                // A thread of the timer may still run: where the process unloads excimer before it ends, it crashes.
                usleep(20000);
                $samples = 0;
                $functions = [];
                $lines = [];
                foreach ($profiler->getLog() as $entry) {
                    $count = $entry->getEventCount();
                    $samples += $count;
                    $seen = [];
                    $trace = $entry->getTrace();
                    // Between the calls of PHP code there is no stack.
                    foreach ($trace === [] ? [['file' => __FILE__]] : $trace as $depth => $frame) {
                        $file = $frame['file'] ?? '';
                        // Of the first frame it is PHP's own work: it compiles the script, or ends the request.
                        if ($file === __FILE__ && $depth > 0) {
                            continue;
                        }
                        $line = $frame['line'] ?? 0;
                        $named = $name($frame);
                        [$file, $line] = $file === __FILE__ ? [$_SERVER['SCRIPT_FILENAME'], 1] : [$file, $line];
                        $key = "{$named} {$file}";
                        $functions[$key] ??= ['name' => $named, 'file' => $file, 'line' => $line, 'self' => 0];
                        $functions[$key]['inclusive'] ??= 0;
                        // A function that calls itself is counted once a stack.
                        $functions[$key]['inclusive'] += isset($seen[$key]) ? 0 : $count;
                        $seen[$key] = true;
                        if ($depth === 0) {
                            $functions[$key]['self'] += $count;
                            $lines[$key][$line] = ($lines[$key][$line] ?? 0) + $count;
                        }
                    }
                }
                foreach ($lines as $key => $counts) {
                    arsort($counts);
                    $functions[$key]['line'] = array_key_first($counts);
                }
                $rank = static fn (array $function): array => [$function['self'], $function['inclusive']];
                usort($functions, static fn (array $a, array $b): int => $rank($b) <=> $rank($a));
                $counted = ['samples' => $samples, 'cpu_us' => $used, 'functions' => array_slice($functions, 0, 200)];
                $text = json_encode($counted, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR);
                file_put_contents(substr(__FILE__, 0, -4).'%OUT%', "{$text}\n", FILE_APPEND | LOCK_EX);
            };
            // What the application registers comes before it: its last work is sampled as well.
            register_shutdown_function(static function () use ($finish): void { register_shutdown_function($finish); });
            $from = $cpu();
            $profiler->start();
        })();
        require $_SERVER['SCRIPT_FILENAME'];
        PHP;

    /** The number of bytes that were read from the file. */
    private int $read = 0;

    private function __construct(private readonly PoolScript $script, private readonly string $samples) {}

    /** @throws UnableToStart */
    public static function write(Clock $clock): self
    {
        $until = intdiv($clock->micros(), 1_000_000) + self::SECONDS;
        $script = PoolScript::write(strtr(self::CODE, ['%UNTIL%' => (string) $until, '%OUT%' => PoolScript::OUTPUT]));
        $script->keepOutOfOpcache($until);

        return new self($script, $script->output());
    }

    public function path(): string
    {
        return $this->script->path;
    }

    /**
     * @return list<RequestSamples> of the requests that have ended since the last call
     *
     * @phpstan-impure
     */
    public function samples(): array
    {
        $text = @file_get_contents($this->samples, false, null, $this->read, self::MOST_BYTES);
        $lines = explode("\n", $text === false ? '' : $text);
        // The last line may be incomplete.
        array_pop($lines);
        $this->read += array_sum(array_map(strlen(...), $lines)) + count($lines);

        return array_values(array_filter(array_map(RequestSamples::fromLine(...), $lines)));
    }

    public function remove(): void
    {
        $this->script->stop();
    }
}
