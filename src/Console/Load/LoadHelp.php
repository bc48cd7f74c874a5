<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputDefinition;

/**
 * The help text of `load`: options by group, examples, exit codes.
 *
 * @internal
 */
final readonly class LoadHelp
{
    private const COLUMN = 27;

    private const END = <<<'TEXT'
        <comment>Every command:</comment>
          -h, --help  -q, --quiet  -v, --verbose  --ansi, --no-ansi  --no-interaction  -V, --version

        <comment>Examples:</comment>
          php %command.full_name% http://127.0.0.1:8000/ -c 50 -d 30s
          php %command.full_name% http://127.0.0.1:8000 -n 1000 --threshold 'p(95)<200' --threshold 'http_req_failed<1%'
          php %command.full_name% http://127.0.0.1:8000/ --rate 200 -d 1m --output before.json --output before.html
          php %command.full_name% http://127.0.0.1:8000/ --stage 30s:100 --stage 1m:100
          php %command.full_name% http://127.0.0.1:8000/ -H 'Content-Type: application/json' --body '{"id":"{{uuid}}"}'
          php %command.full_name% http://127.0.0.1:8000 --scenario shop.json -c 50

        <comment>Exit codes:</comment>
          0  at least one request succeeded, and every threshold holds
          1  no request succeeded, the report or a file was not written, or a process was lost
          2  wrong usage; nothing was sent
          3  a threshold was crossed
          4  no HTTP server responds at the address
          Ctrl-C ends the run early, and the result is still printed.
        TEXT;

    public static function text(InputDefinition $definition): string
    {
        $text = '';

        foreach (LoadDefinition::GROUPS as $title => $options) {
            $text .= "<comment>{$title}:</comment>\n";

            foreach ($options as [$name, $shortcut, $value, $line]) {
                $default = $definition->getOption($name)->getDefault();
                $names = ($shortcut === null ? '    ' : "-{$shortcut}, ")."--{$name}";
                $left = str_pad($names.($value === null ? '' : "={$value}"), self::COLUMN);
                $right = OutputFormatter::escape($line.(is_string($default) ? " (default {$default})" : ''));
                $text .= "  <info>{$left}</info>  {$right}\n";
            }

            $text .= "\n";
        }

        return $text.self::END;
    }
}
