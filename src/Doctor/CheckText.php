<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * What a check is about, in words: `--explain` prints it, and reports take the title, the severity and the sources
 * from it. The texts of the package are the files in resources/checks.
 */
final readonly class CheckText
{
    private const FIELDS = ['id', 'severity', 'layer', 'minutes'];

    /**
     * @param string $id a letter for the layer and a number that never changes: N5
     * @param string $title the fault
     * @param string $body Markdown below the title: what happens to requests, why, when it is reported, the fix. A
     *     finding without a consequence of its own has the first paragraph, and a fix without a text of its own the
     *     first paragraph below `## Fix`
     * @param list<string> $sources addresses of documentation, of source code or of a report
     * @param int $minutes that the fix takes a person who knows the machine
     */
    public function __construct(
        public string $id,
        public string $title,
        public Severity $severity,
        public Layer $layer,
        public string $body,
        public array $sources = [],
        public int $minutes = 5,
    ) {}

    /** The command that runs checks. */
    public static function command(string ...$ids): string
    {
        return 'headroom doctor'.implode('', array_map(static fn (string $id): string => " --only={$id}", $ids));
    }

    /**
     * @param string $file whose name is the id, such as N5.md
     *
     * @throws UnableToReadCheckText
     */
    public static function fromFile(string $file): self
    {
        $markdown = is_file($file) ? @file_get_contents($file) : throw UnableToReadCheckText::because(
            $file,
            'there is no such file',
        );

        return $markdown === false
            ? throw UnableToReadCheckText::because($file, error_get_last()['message'] ?? 'it is not readable')
            : self::fromMarkdown($file, $markdown);
    }

    /** The whole text, without the front matter. */
    public function markdown(): string
    {
        $severity = ucfirst($this->severity->value);

        return "# {$this->id}: {$this->title}\n\n{$severity}, {$this->layer->value}, about {$this->minutes} minutes to"
            ." fix.\n\n{$this->body}\n";
    }

    /** What the fault does to requests: the first paragraph of the body. */
    public function consequence(): string
    {
        return self::line((string) strstr("{$this->body}\n\n", "\n\n", true));
    }

    /** What to do about the fault: the first paragraph below `## Fix`; '' without one. */
    public function advice(): string
    {
        return preg_match('/^## Fix\n\n(.+?)(?:\n\n|\z)/ms', $this->body, $parts) === 1 ? self::line($parts[1]) : '';
    }

    /** A paragraph without its line breaks. */
    private static function line(string $paragraph): string
    {
        return (string) preg_replace('/\s+/', ' ', trim($paragraph));
    }

    private static function fromMarkdown(string $file, string $markdown): self
    {
        if (preg_match('/\A---\n(.*?)\n---\n\n# ([^\n]+)\n\n(\S.*)\z/s', $markdown, $parts) !== 1) {
            throw UnableToReadCheckText::because($file, 'it is not front matter, a title and a text');
        }

        $fields = self::fields($file, $parts[1]);
        $id = basename($file, '.md');

        if ($fields['id'] !== $id) {
            throw UnableToReadCheckText::because($file, "its id is '{$fields['id']}'");
        }

        preg_match_all('/^- <(\S+)>$/m', $parts[3], $sources);

        return new self(
            $id,
            $parts[2],
            Severity::tryFrom($fields['severity']) ?? throw UnableToReadCheckText::because(
                $file,
                "its severity is '{$fields['severity']}'",
            ),
            Layer::tryFrom($fields['layer']) ?? throw UnableToReadCheckText::because(
                $file,
                "its layer is '{$fields['layer']}'",
            ),
            trim($parts[3]),
            $sources[1],
            ctype_digit($fields['minutes']) ? (int) $fields['minutes'] : throw UnableToReadCheckText::because(
                $file,
                "its minutes are '{$fields['minutes']}'",
            ),
        );
    }

    /**
     * @return array{id: string, severity: string, layer: string, minutes: string}
     *
     * @throws UnableToReadCheckText
     */
    private static function fields(string $file, string $frontMatter): array
    {
        $fields = [];

        foreach (explode("\n", $frontMatter) as $line) {
            [$name, $value] = [...explode(': ', $line, 2), ''];
            $fields[$name] = $value;
        }

        return [
            'id' => self::field($file, $fields, 'id'),
            'severity' => self::field($file, $fields, 'severity'),
            'layer' => self::field($file, $fields, 'layer'),
            'minutes' => self::field($file, $fields, 'minutes'),
        ];
    }

    /** @param array<string, string> $fields */
    private static function field(string $file, array $fields, string $name): string
    {
        $unknown = array_diff(array_keys($fields), self::FIELDS);

        return match (true) {
            $unknown !== [] => throw UnableToReadCheckText::because(
                $file,
                "its front matter has '".implode("', '", $unknown)."'",
            ),
            default => $fields[$name] ?? throw UnableToReadCheckText::because($file, "its front matter has no {$name}"),
        };
    }
}
