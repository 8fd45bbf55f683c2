import { defined } from "../../../defined.ts";
import { type ProjectKind, when } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { fieldsOf } from "../project-files.ts";
import { NAME_LENGTH } from "../project-info.ts";

/** Frameworks, by their packages. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  "laravel/framework": "Laravel",
  "symfony/framework-bundle": "Symfony",
  "slim/slim": "Slim",
  "cakephp/cakephp": "CakePHP",
  "yiisoft/yii2": "Yii",
  "drupal/core": "Drupal",
  "phpunit/phpunit": "PHPUnit",
  "pestphp/pest": "Pest",
};

/** PHP, by Composer. */
export const php: ProjectKind = {
  async describe(files) {
    const manifest = await files.json("composer.json");
    const packages = new Set(
      ["require", "require-dev"].flatMap((field) => [...fieldsOf(manifest.get(field)).keys()]),
    );
    const scripts = fieldsOf(manifest.get("scripts"));
    const test =
      when(scripts.has("test"), "composer test") ??
      when(files.has("artisan"), "php artisan test") ??
      when(packages.has("pestphp/pest"), "vendor/bin/pest") ??
      when(files.find(/^phpunit\.xml(?:\.dist)?$/) !== undefined, "vendor/bin/phpunit");
    const lint =
      when(scripts.has("lint"), "composer lint") ??
      when(
        files.find(/^phpstan\.(?:dist\.)?neon(?:\.dist)?$/) !== undefined,
        "vendor/bin/phpstan analyse",
      );
    return {
      name: plainText(manifest.get("name"), NAME_LENGTH),
      language: "php",
      packageManager: "composer",
      commands: defined({ test, lint }),
      frameworks: Object.entries(FRAMEWORKS).flatMap(([name, title]) =>
        packages.has(name) ? [title] : [],
      ),
    };
  },
};
