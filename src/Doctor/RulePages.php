<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * The pages of docs/checks/, one for each rule and one of them all.
 *
 * @internal
 */
final readonly class RulePages
{
    /** @param list<Rule> $rules */
    private function __construct(private array $rules) {}

    /** @param list<Check> $checks */
    public static function of(array $checks): self
    {
        return new self(array_map(static fn (Check $check): Rule => $check->rule(), $checks));
    }

    /** @return array<string, string> text by file name */
    public function files(): array
    {
        $files = ['README.md' => $this->contents()];

        foreach ($this->rules as $rule) {
            $page = new RulePage($rule);
            $files[$page->fileName()] = $page->text();
        }

        return $files;
    }

    private function contents(): string
    {
        $rows = implode("\n", array_map(static fn (Rule $rule): string => (new RulePage($rule))->row(), $this->rules));

        return "# What the doctor checks\n\n`headroom doctor` asks all of these; in an application `php artisan"
            ." headroom:doctor` asks more of them.\n\n| check | severity | what is wrong when it fires"
            ." |\n|---|---|---|\n{$rows}\n";
    }
}
