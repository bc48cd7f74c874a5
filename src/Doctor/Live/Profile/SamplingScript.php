<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live\Profile;

use Headroom\Host\Fpm\PoolScript;
use Headroom\Host\UnableToStart;

use function bin2hex;
use function chmod;
use function dirname;
use function explode;
use function file_get_contents;
use function random_bytes;
use function strtr;
use function time;
use function touch;

/**
 * A script that a pool runs in place of the application's: it starts excimer, runs the application's, and writes the samples to a file.
 *
 * auto_prepend_file by FastCGI's PHP_VALUE would do the same with less, but php-fpm keeps such a value for all later requests of that
 * process: once the file is gone, each of them fails with "Failed opening required". This script changes no setting.
 *
 * @internal
 */
final readonly class SamplingScript
{
    /** A run that is killed leaves the script behind: from then on it does nothing. */
    private const SECONDS = 60;

    /** Above the time of any request. Opcache keeps no file that is newer than now, so the script takes no place in it. */
    private const AHEAD = 86_400;

    /** Of the file that all requests of a run write to. */
    private const MOST_BYTES = 33_554_432;

    private const CODE = <<<'PHP'
        <?php
        if (time() > %UNTIL% || ! class_exists('ExcimerProfiler', false) || ! isset($_SERVER['HEADROOM_SCRIPT'])) { http_response_code(404); exit; }
        (static function (): void {
            // The application sees the request as the web server would have sent it.
            foreach (['SCRIPT_FILENAME' => 'HEADROOM_SCRIPT', 'SCRIPT_NAME' => 'HEADROOM_NAME', 'PHP_SELF' => 'HEADROOM_NAME'] as $name => $own) { $_SERVER[$name] = $_SERVER[$own]; }
            unset($_SERVER['HEADROOM_SCRIPT'], $_SERVER['HEADROOM_NAME']);
            chdir(dirname($_SERVER['SCRIPT_FILENAME']));
            $cpu = static function (): int { $used = getrusage(); return 1000000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']; };
            $profiler = new ExcimerProfiler;
            $profiler->setEventType(EXCIMER_CPU);
            $profiler->setPeriod(0.001);
            $profiler->setMaxDepth(250);
            $own = __FILE__;
            $finish = static function () use ($profiler, $cpu, $own, &$from): void {
                $profiler->stop();
                $used = $cpu() - $from;
                // A thread of the timer may still run: where the process ends and unloads excimer before it, it crashes.
                usleep(20000);
                $samples = 0;
                $functions = [];
                foreach ($profiler->getLog() as $entry) {
                    $count = $entry->getEventCount();
                    $samples += $count;
                    $seen = [];
                    foreach ($entry->getTrace() as $depth => $frame) {
                        $file = $frame['file'] ?? '';
                        // Of the first frame it is PHP's own work: it compiles the application's script, or ends the request.
                        if ($file === $own && $depth > 0) { continue; }
                        $function = $frame['function'] ?? '';
                        $name = match (true) {
                            $file === $own => 'PHP, before and after the script',
                            $function === '' => 'code of '.basename($file),
                            isset($frame['closure_line']) => (isset($frame['class']) ? "{$frame['class']}::" : '')."{closure}:{$frame['closure_line']}",
                            isset($frame['class']) => "{$frame['class']}::{$function}()",
                            default => "{$function}()",
                        };
                        $line = $frame['line'] ?? 0;
                        $key = "{$name} {$file}";
                        $functions[$key] ??= ['name' => $name, 'file' => $file, 'line' => $line, 'self' => 0, 'inclusive' => 0, 'lines' => []];
                        // A function that calls itself is counted once a stack.
                        if (! isset($seen[$key])) { $functions[$key]['inclusive'] += $count; $seen[$key] = true; }
                        if ($depth === 0) { $functions[$key]['self'] += $count; $functions[$key]['lines'][$line] = ($functions[$key]['lines'][$line] ?? 0) + $count; }
                    }
                }
                foreach ($functions as &$function) {
                    if ($function['lines'] !== []) { arsort($function['lines']); $function['line'] = array_key_first($function['lines']); }
                    unset($function['lines']);
                }
                unset($function);
                usort($functions, static fn (array $a, array $b): int => [$b['self'], $b['inclusive']] <=> [$a['self'], $a['inclusive']]);
                $text = json_encode(['samples' => $samples, 'cpu_us' => $used, 'functions' => array_slice($functions, 0, 200)], JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR);
                file_put_contents(%FILE%, "{$text}\n", FILE_APPEND | LOCK_EX);
            };
            // What the application registers comes before it: its last work is sampled as well.
            register_shutdown_function(static function () use ($finish): void { register_shutdown_function($finish); });
            $from = $cpu();
            $profiler->start();
        })();
        require $_SERVER['SCRIPT_FILENAME'];
        PHP;

    private function __construct(private PoolScript $script, private string $samples) {}

    /** @throws UnableToStart */
    public static function write(): self
    {
        // Its name is in the code: nobody but the pool reads that, or lists the directory.
        $name = bin2hex(random_bytes(16)).'.samples';
        $until = (string) (time() + self::SECONDS);
        $file = "dirname(__FILE__).'/{$name}'";
        $script = PoolScript::write(strtr(self::CODE, ['%UNTIL%' => $until, '%FILE%' => $file]));
        $samples = dirname($script->path)."/{$name}";
        touch($script->path, time() + self::AHEAD);

        // The pool's user writes to it, whoever that is.
        if (! @touch($samples) || ! @chmod($samples, 0o666)) {
            $script->stop();

            throw UnableToStart::directory($samples, 'written');
        }

        return new self($script, $samples);
    }

    public function path(): string
    {
        return $this->script->path;
    }

    /** @return list<RequestSamples> of the requests that have ended */
    public function samples(): array
    {
        $text = @file_get_contents($this->samples, false, null, 0, self::MOST_BYTES);
        $requests = [];

        foreach (explode("\n", $text === false ? '' : $text) as $line) {
            $request = RequestSamples::fromLine($line);

            if ($request !== null) {
                $requests[] = $request;
            }
        }

        return $requests;
    }

    public function remove(): void
    {
        $this->script->stop();
    }
}
