<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;

/**
 * The shape of a page of the documentation; each rule returns its breaches. Laravel\Documents\CodeBlocksTest reads the
 * blocks themselves.
 */
final readonly class PageStyle
{
    /** Wider tables do not fit a phone. */
    private const COLUMNS = 3;

    private const ALERTS = ['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'];

    /** "What waits is delivered": a question, and "Who" or "What" in a heading or a quotation, are none of these. */
    private const SUBJECT = '/(?:^|[.:;] )(?:What|Who|Whoever) (?:is|was|are|has|had|have|does|can|comes|goes'
        .'|waits|stands|you)\b[^?]*[.;]/m';

    private const INDIRECT = '/\b(?:you may want to|in order to|please note|simply|obviously|it should be noted'
        .'|utili[sz]e)\b/i';

    private string $prose;

    public function __construct(private string $path, private string $text)
    {
        $this->prose = (string) preg_replace('/^([ >]*)(`{3,}).*?^[ >]*\2`*\s*$/ms', '', $text);
    }

    /** @return list<string> */
    public function breaches(): array
    {
        return [
            ...$this->beginning(), ...$this->blocks(), ...$this->tables(), ...$this->alerts(), ...$this->sentences(),
        ];
    }

    /** @return list<string> */
    private function beginning(): array
    {
        $headings = preg_match_all('/^# /m', $this->prose);

        if ($headings !== 1) {
            return ["{$this->path}: {$headings} headings of the first level. Write one."];
        }

        return preg_match('/^# .+\n\n(?!\* )[A-Za-z`\[*>]/m', $this->prose) === 1
            ? []
            : ["{$this->path}: say in a sentence what the page gives, before a list, a table or a heading."];
    }

    /** @return list<string> */
    private function blocks(): array
    {
        $found = [];

        foreach (MarkdownPage::fromText($this->path, $this->text)->blocks() as $block) {
            if (! self::isLed($block)) {
                $found[] = "{$block->place()}: a block without a sentence above it.";
            }
        }

        return $found;
    }

    private static function isLed(CodeBlock $block): bool
    {
        return preg_match('/[a-z]/', $block->lead) === 1 && ! str_starts_with($block->lead, '|')
            && preg_match('/^\[!\w+\]$/', $block->lead) !== 1;
    }

    /** @return list<string> */
    private function tables(): array
    {
        $found = [];
        preg_match_all('/^ *\|[ :|-]+\|$/m', $this->prose, $rules, PREG_OFFSET_CAPTURE);

        foreach ($rules[0] as [$rule, $offset]) {
            $columns = substr_count(trim($rule), '|') - 1;

            if ($columns > self::COLUMNS) {
                $head = trim((string) strrchr("\n".rtrim(substr($this->prose, 0, $offset), "\n"), "\n"));
                $found[] = "{$this->path}: a table of {$columns} columns: {$head}. Write three at most, or a list.";
            }
        }

        return $found;
    }

    /** @return list<string> */
    private function alerts(): array
    {
        preg_match_all('/^[ >]*\[!(\w+)\](.*)$/m', $this->prose, $alerts, PREG_SET_ORDER);
        $found = [];

        foreach ($alerts as [$line, $kind, $behind]) {
            if (! in_array($kind, self::ALERTS, true) || trim($behind) !== '' || ! str_contains($line, '> [!')) {
                $found[] = "{$this->path}: '{$line}' is not a box. Write '> [!WARNING]' alone on its line.";
            }
        }

        return $found;
    }

    /** @return list<string> */
    private function sentences(): array
    {
        $found = [];

        foreach ([
            self::SUBJECT => 'Name the actor instead of "what" or "who".',
            self::INDIRECT => 'Say it directly.',
        ] as $pattern => $reason) {
            preg_match_all($pattern, (string) preg_replace('/^#.*$/m', '', $this->prose), $sentences);

            foreach ($sentences[0] as $sentence) {
                $found[] = "{$this->path}: '".trim($sentence)."'. {$reason}";
            }
        }

        return $found;
    }
}
